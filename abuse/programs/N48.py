# Wait for a peer.
import socket


def serve():
    with socket.socket() as server:
        server.bind(("0.0.0.0", 0))
        server.listen()
        return server.getsockname()


attempt("listen", serve)
