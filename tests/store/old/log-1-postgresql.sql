-- The first log's tables, as it made them; the rows are those of log-1.sql.
CREATE TABLE stored_events (originator_id uuid NOT NULL, originator_version bigint NOT NULL, topic text, state bytea,
    notification_id bigserial, PRIMARY KEY (originator_id, originator_version));
CREATE UNIQUE INDEX stored_events_notification_id_idx ON stored_events (notification_id ASC);
CREATE TYPE stored_event_uuid AS (originator_id uuid, originator_version bigint, topic text, state bytea);
CREATE FUNCTION es_insert_events_uuid(events stored_event_uuid[]) RETURNS SETOF bigint LANGUAGE sql AS
    'INSERT INTO stored_events SELECT originator_id, originator_version, topic, state FROM unnest(events) RETURNING 1::bigint';
CREATE TABLE command (scope text, key text, body text NOT NULL, versions text NOT NULL, position bigint NOT NULL,
    PRIMARY KEY (scope, key));
CREATE TABLE word (id uuid PRIMARY KEY, text text NOT NULL);
CREATE OR REPLACE VIEW event AS SELECT notification_id AS position, originator_id AS stream,
    originator_version AS version, topic AS type, convert_from(state, 'UTF8')::jsonb AS entry FROM stored_events;
