package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/v2"
)

// settingsPrefix begins the variables that are settings of a service.
const settingsPrefix = "CELLWALL_SERVE_"

// settingKey is the key that a variable sets.
func settingKey(variable string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, settingsPrefix)), "__", ".")
}

// unknownKeys says which keys nobody knows, as they were written and where.
func unknownKeys(unused []string, k *koanf.Koanf, path string, environ []string) error {
	var said []string
	for _, name := range unused {
		key := writtenKey(name, k)
		from := "in " + path
		for _, pair := range environ {
			variable, _, _ := strings.Cut(pair, "=")
			if set := settingKey(variable); strings.HasPrefix(variable, settingsPrefix) && (set == key || strings.HasPrefix(set, key+".")) {
				from = "from " + variable
			}
		}
		said = append(said, fmt.Sprintf("unknown key %q %s", key, from))
	}
	slices.Sort(said)
	if len(said) == 0 {
		return nil
	}
	return usage("read configuration", fmt.Errorf("%s", strings.Join(said, "; ")), "see docs/SERVICE.md for the keys")
}

// writtenKey is a key as somebody wrote it. The decoder names the tables around it
// as our fields are: "Tenants[acme].Rate.foo" is tenants.acme.rate.foo.
func writtenKey(name string, k *koanf.Koanf) string {
	name = strings.NewReplacer("[", ".", "]", "").Replace(name)
	parts := strings.Count(name, ".") + 1
	for _, key := range k.Keys() {
		if words := strings.Split(key, "."); len(words) >= parts {
			if key = strings.Join(words[:parts], "."); sameKey(key, strings.ReplaceAll(name, "_", "")) {
				return key
			}
		}
	}
	return strings.ToLower(name)
}
