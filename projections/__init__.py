"""Read tables built from the event log: each projection is one file, its tables and what an event changes in them."""
