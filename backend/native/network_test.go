package native_test

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// litter makes what sockets it can, has the kernel name some (a socket that
// passes credentials is bound as it sends), and leaves them to its end.
const litter = `
import os, socket
print(os.readlink('/proc/self/ns/net'))
kept = [socket.socketpair() for _ in range(50)]
for _ in range(50):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    kept.append(one)
    try:
        one.sendto(b'x', b'\0nobody')
    except OSError:
        pass
a, b = kept[0]
socket.send_fds(a, [b'x'], [one.fileno()])
`

// lookAround prints the network it is in, the sockets there and what it has counted.
const lookAround = `
import os
print(os.readlink('/proc/self/ns/net'))
print(len(open('/proc/self/net/unix').readlines()) - 1, open('/proc/self/net/dev').read().count(':'))
print(sum(int(n) for line in open('/proc/self/net/snmp') for n in line.split()[1:] if n.isdigit() and line[:2] in ('Ud', 'Tc', 'Ic')))
`

// A network namespace is handed on once the kernel has reaped its sandbox, and
// is then as it was when it was made; nobody shares one.
func TestP13_AUsedNetworkIsAsANewOne(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	ask := func(s cellwall.Sandbox, code string) []string {
		return strings.Split(strings.TrimSpace(ask(t, s, code)), "\n")
	}
	one := func() cellwall.Sandbox {
		s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, second := one(), one()
	defer second.Close()
	fresh := ask(second, lookAround)
	used := ask(first, litter)
	first.Close()
	if used[0] == fresh[0] {
		t.Fatalf("two sandboxes share the network %s", used[0])
	}
	for range 20 {
		third := one()
		again := ask(third, lookAround)
		third.Close()
		if again[0] != used[0] {
			continue
		}
		if got, want := strings.Join(again[1:], " "), strings.Join(fresh[1:], " "); got != want {
			t.Errorf("sockets, devices and counts of a used network: %s, of a new one: %s", got, want)
		}
		return
	}
	t.Fatal("in 20 sandboxes no network came again")
}
