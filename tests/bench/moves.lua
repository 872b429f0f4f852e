-- One wrk thread is one table: it plays its matches one after the other, a move a request.
local threads = 0
function setup(thread)
    thread:set("id", threads)
    threads = threads + 1
end

function init(args)
    local count, folder, kind = tonumber(args[1]), args[2], args[3]
    matches, bodies, at, move = {}, {}, 1, 0
    -- wrk asks the first thread for a request that it does not send
    rehearsed = id ~= 0
    local number = 0
    for line in io.lines(folder .. "/matches") do
        if number % count == id then matches[#matches + 1] = line end
        number = number + 1
    end
    for line in io.lines(folder .. "/" .. kind) do bodies[#bodies + 1] = line end
end

function request()
    if rehearsed then move = move + 1 end
    rehearsed = true
    if move > #bodies then
        move, at = 1, at + 1
        if at > #matches then at = 1 end
    end
    local match, token = matches[at]:match("(%S+) (%S+)")
    return wrk.format("POST", "/v1/matches/" .. match .. "/deals/1/moves",
        { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token, ["Host"] = "localhost" }, bodies[math.max(move, 1)])
end

function done(summary, latency, requests)
    io.write(string.format("FIGURES %d %d %d %d %d\n", summary.requests, summary.duration, summary.errors.status,
        latency:percentile(50), latency:percentile(99)))
end
