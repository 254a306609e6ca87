"""Python runs this at its start where this folder is on its path: the process keeps another clock, by so many minutes.

Time that only measures spans goes on as it is, as with a real clock that is wrong.
"""

import datetime as dt
import os

import time_machine

MINUTES = "HANDS_CLOCK"

if MINUTES in os.environ:
    there = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=float(os.environ[MINUTES]))
    time_machine.travel(there, tick=True).start()
