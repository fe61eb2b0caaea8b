"""What schemathesis has to be told about the service: the media type of a piece of an upload is bytes."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.serializer("application/offset+octet-stream")
def piece(ctx: Any, value: Any) -> bytes:
    """The bytes as they were made, or the text of what was made in their place."""
    return value if isinstance(value, bytes) else str(value).encode()
