package native

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// grown is a tree with the parents given by index; -1 is none. The last is live.
func grown(parents ...int) *tree {
	t := &tree{}
	for i, p := range parents {
		t.live = nil
		if p >= 0 {
			t.live = t.nodes[p]
		}
		t.add(&node{id: strconv.Itoa(i)})
	}
	return t
}

func TestM40_TheOldestInnerCheckpointIsDroppedBeforeATip(t *testing.T) {
	for _, tc := range []struct {
		name    string
		parents []int
		above   int
		want    []string // in the order in which they are dropped
	}{
		{"Line", []int{-1, 0, 1, 2}, 0, []string{"0", "1", "2"}},
		{"BranchThatRests", []int{-1, 0, 1, 0, 3}, 0, []string{"0", "1", "3", "2"}},
		{"TipsThatNobodyWants", []int{-1, 0, 0, 0, 0}, 1, []string{"1", "2", "3", "0"}},
		{"TwoWaysBack", []int{-1, 0, 1, 2, 3}, 2, []string{"0", "1", "2", "3"}},
		{"Alone", []int{-1}, 1, nil},
		{"Empty", nil, 1, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := grown(tc.parents...)
			live := tree.live
			var got []string
			for n := tree.spare(tc.above); n != nil; n = tree.spare(tc.above) {
				got = append(got, n.id)
				tree.remove(n)
			}
			if tree.live != live || !slices.Equal(got, tc.want) {
				t.Errorf("dropped %v, want %v; live is %+v", got, tc.want, tree.live)
			}
		})
	}
}

func TestM40_TipsOfBranchesKeepTheirFilesLonger(t *testing.T) {
	got := grown(-1, 0, 1, 0, 3).expendable()
	if want := []string{"0", "1", "3", "2"}; !slices.Equal(got, want) {
		t.Errorf("they lose their files in the order %v, want %v", got, want)
	}
}

// Whatever is dropped, ancestors stay ancestors, and the live state keeps what it
// grew from.
func TestM40_ATreeOfCheckpointsStaysATree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := &tree{}
		above := map[*node][]*node{} // every ancestor there has been
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(tree.nodes) > 0 && rapid.IntRange(0, 2).Draw(t, "back") == 0 {
				tree.live = rapid.SampledFrom(tree.nodes).Draw(t, "to")
			}
			n := &node{id: strconv.Itoa(i)}
			if tree.live != nil {
				above[n] = append(slices.Clone(above[tree.live]), tree.live)
			}
			tree.add(n)
			if most := rapid.IntRange(1, 8).Draw(t, "most"); len(tree.nodes) > most {
				tree.remove(tree.spare(most / 4))
			}
		}
		if tree.find(tree.live.id) != tree.live {
			t.Fatalf("the live state grows from %s, which was dropped", tree.live.id)
		}
		for _, n := range tree.nodes {
			for at := n.parent; at != nil; at = at.parent {
				if tree.find(at.id) != at || !slices.Contains(above[n], at) {
					t.Fatalf("%s has %s above it, which is not so", n.id, at.id)
				}
			}
			for _, a := range above[n] {
				if tree.find(a.id) == a && fork(n, a) != a {
					t.Fatalf("%s has lost %s, which is kept", n.id, a.id)
				}
			}
		}
	})
}
