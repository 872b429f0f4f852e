"""The REST API: thin handlers over `referee.service`, one composition root in `app`."""
