"""Drives "cellwall mcp" as a user's client would, with the official Python client.

client.py MODE COMMAND ARG...: MODE is auto (the newest revision that both speak) or legacy (the handshake). Prints one
JSON document of what it saw.
"""

import asyncio
import json
import sys

from mcp.client.stdio import stdio_client

from mcp import Client, StdioServerParameters

PROGRAM = "print(len(df)); plt.plot([1, 2]); plt.savefig('line.png')"


async def main(mode: str, command: str, args: list[str]) -> dict[str, object]:
    """The way of one analysis."""
    seen: dict[str, object] = {}
    told: list[float] = []

    async def progress(now: float, total: float | None, message: str | None) -> None:
        del total, message
        told.append(now)

    async with Client(stdio_client(StdioServerParameters(command=command, args=args)), mode=mode) as client:
        seen["first"] = [t.name for t in (await client.list_tools()).tools]
        refused = await client.call_tool("run_python", {"code": "1", "purpose": "p"})
        seen["refused"] = refused.is_error
        inspected = await client.call_tool("inspect_data", {}, progress_callback=progress)
        seen["tables"] = (inspected.structured_content or {})["tables"][0]["rows"]
        await client.get_prompt("analyse_data", {"question": "cluster the orders"})
        seen["then"] = [t.name for t in (await client.list_tools()).tools]
        ran = await client.call_tool("run_python", {"code": PROGRAM, "purpose": "draw"}, progress_callback=progress)
        seen["ran"] = [c.type for c in ran.content]
        link = next(c.uri for c in ran.content if c.type == "resource_link")
        content = (await client.read_resource(str(link))).contents[0]
        seen["read"] = content.mime_type
        try:
            await client.call_tool("no_such_tool", {})
        except Exception as e:
            seen["unknown"] = str(e)
    seen["progress"] = len(told)
    return seen


if __name__ == "__main__":
    print(json.dumps(asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2], sys.argv[3:]), 90))))
