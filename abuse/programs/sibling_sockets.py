# Sockets that lead nowhere: what asyncio and subprocess need.
import asyncio
import selectors
import socket

a, b = socket.socketpair()
a.sendall(b"hello")
got = b.recv(5)
selectors.DefaultSelector().close()


async def meet():
    queue = asyncio.Queue()
    await asyncio.gather(queue.put(1), asyncio.to_thread(lambda: None))
    return await queue.get()


loop = asyncio.new_event_loop()
print("ADMITTED", got == b"hello", loop.run_until_complete(meet()))
loop.close()
