package internet

import (
	"context"
	"errors"
	"testing"
)

func TestP10_OnlyPublicAddressesAreDialled(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "[2606:4700::1111]:443": true, "[2a00:1450:4001:5efe::8:1]:443": true,
		"127.0.0.1:80": false, "127.8.9.1:80": false, "10.1.2.3:443": false, "172.31.0.1:443": false, "192.168.1.1:443": false,
		"169.254.169.254:80": false, "100.100.100.200:80": false, "0.0.0.0:80": false, "0.1.2.3:80": false, "192.0.0.192:80": false,
		"192.0.2.1:80": false, "198.18.0.1:80": false, "203.0.113.7:80": false, "224.0.0.1:80": false, "240.0.0.1:80": false, "255.255.255.255:80": false,
		"[::1]:80": false, "[::]:80": false, "[::ffff:127.0.0.1]:80": false, "[::ffff:10.0.0.1]:80": false, "[::127.0.0.1]:80": false,
		"[fe80::1%lo]:80": false, "[fe80::1]:80": false, "[fec0::1]:80": false, "[fc00::1]:80": false, "[fd00:ec2::254]:80": false, "[ff02::1]:80": false,
		"[64:ff9b::7f00:1]:80": false, "[64:ff9b::808:808]:80": false, "[64:ff9b:1::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[2002:a9fe:a9fe::]:80": false,
		"[2001:0:4136:e378:8000:63bf:3fff:fdd2]:80": false, "[2001:db8::1]:80": false, "[2606:4700::5efe:7f00:1]:80": false, "[2606:4700::200:5efe:a9fe:a9fe]:80": false,
		"localhost:80": false,
	} {
		err := Only(context.Background(), "tcp", address, nil)
		if (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
		if !want && address != "localhost:80" && !errors.Is(err, ErrPrivate) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
