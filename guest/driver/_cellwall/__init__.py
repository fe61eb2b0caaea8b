"""The driver: the Python side of a Cellwall sandbox.

The zygote imports everything once and forks a child per sandbox ahead of need.
The child enters the wall, says hello, and receives exactly one program. See the
protocol's specification in package guest.
"""

VERSION = "1"
PROTOCOL = 1
