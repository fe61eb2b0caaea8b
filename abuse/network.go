package abuse

import (
	"strings"

	"github.com/cellwall/cellwall"
)

// network returns the cases of letter N.
func network() []Case {
	held := func(id, title, boundary string, attempts ...string) Case {
		return Case{
			ID: id, Title: title, Boundary: boundary,
			Attack:  Program{File: id + ".py", Expect: Expect{Held: attempts}},
			Sibling: usesSockets(),
		}
	}
	const off, families = "own network namespace without a way out", "socket families by allow-list"
	n35 := held("N35", "UDP, raw and packet sockets", families, "udp", "raw", "raw6", "packet", "ping")
	n35.Control.Absent = map[string]string{"ping": "net.ipv4.ping_group_range is empty in a new network namespace"}
	n36 := held("N36", "resolve names", off, "getaddrinfo", "udp", "tcp", "daemon")
	n36.Control.Absent = map[string]string{"daemon": "the outer cell runs no resolver daemon"}
	n38 := held("N38", "a cloud's metadata service", off, "v4", "v6", "name", "http")
	n38.Control.Absent = map[string]string{"v6": "the outer cell's loopback has no such IPv6 address"}
	n41 := held("N41", "the kernel's own services", families,
		"route", "xfrm", "audit", "netfilter", "uevent", "rxrpc", "key", "xdp")
	n41.Control.Privileged = true
	n44 := held("N44", "unix sockets by path", "own root without the host's sockets", "controller", "scan", "known")
	n44.Control.Absent = map[string]string{"known": "the outer cell runs none of these services"}
	n45 := held("N45", "descriptors that were left open", "every descriptor but 0, 1, 2 and the channel is closed",
		"directory", "any_directory", "file", "sockets", "stdin", "peer_name", "peer_process")
	n45.Attack.Expect.Prints = []string{"HANDED OVER 4000"} // and nobody has taken them
	n45.Control.Harness, n45.Control.Shows = "harness_leak.py", append([]string{"rights"}, n45.Attack.Expect.Held...)
	n45.Control.Absent = map[string]string{"peer_name": "a pair has no names; it shows that the channel is one"}
	n46 := held("N46", "io_uring", "system calls by allow-list", "setup", "register")
	n46.Control.Shows = []string{"setup"}
	n37 := held("N37", "IPv6, multicast and discovery", families,
		"loopback6", "mapped", "datagram6", "link_local", "mdns", "llmnr", "ssdp", "broadcast", "join6", "interfaces")
	n47 := held("N47", "calls by the numbers of another ABI", "native numbers only",
		"getpid", "socket", "socketcall", "keyctl", "mode_switch", "x32_getpid", "x32_socket", "x32_execve", "high_bits")
	n47.Attack.Expect.Prints, n47.Sibling = []string{"NATIVE True"}, callsNative()
	n50 := held("N50", "a proxy in somebody's settings", "an environment of its own",
		"environment", "native", "urllib", "others", "settings")
	n50.Control.Harness = "harness_proxy.py"
	n51 := held("N51", "write into the host's log", "own root and network namespace",
		"log", "unconnected", "pair", "journal", "journal_stream", "abstract", "handler", "present")
	n51.Control.Harness, n51.Control.Shows = "harness_log.py", append([]string{"received"}, n51.Attack.Expect.Held...)
	return []Case{
		held("N34", "TCP to anywhere", off, "loopback", "internet", "lan", "gateway", "bridge", "name"),
		n35, n36, n38,
		held("N39", "a socket to the hypervisor", families, "stream", "datagram"),
		held("N40", "the kernel's cryptography by socket", families, "socket", "hash"),
		n41,
		held("N42", "every socket family and type", families, "families"),
		held("N43", "abstract unix sockets of the host", off, "connect", "listed"),
		n44, n45, n46,
		n37, n47,
		held("N48", "wait for a peer", families, "listen"),
		libraries(), n50, n51,
	}
}

// libraries is the one attempt that most programs make in good faith: the end
// is an error that says what to do instead. Libraries that only some environments
// have are tried where they are.
func libraries() Case {
	attempts := []string{
		"urllib", "number", "tls", "ftp", "client", "rpc", "pandas", "matplotlib", "numpy", "pyarrow",
	}
	return Case{
		ID: "N49", Title: "libraries that fetch what they are told to open", Boundary: "own network namespace; errors with words", Runs: 5,
		Attack: Program{File: "N49.py", Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusError}, Causes: []cellwall.Cause{cellwall.CauseException}, Held: attempts,
			Judge: func(o Outcome) []Problem {
				if hint := o.Result.Observation.RetryHint; !strings.Contains(hint, "network is off") {
					return []Problem{Problem("the hint does not say that the network is off: " + hint)}
				}
				return nil
			},
		}},
		Control: Control{Runs: 1, Shows: []string{"urllib", "number", "client"}},
		Sibling: readsInput(),
	}
}

func usesSockets() Program {
	return Program{File: "sibling_sockets.py", Expect: Expect{Prints: []string{"ADMITTED True 1"}}}
}
