"""What is settled after the fact, each by consent: take-backs, corrections, voids, seats, disputes and rulings.

`asks` holds what can be asked for, `consent` who must agree, one file each the plans that carry it out, `proposals` the
way of asking all seats, `disputes` the arbiter's.
"""
