package fdpass

import (
	"errors"
	"io"
	"os"
	"testing"
)

func TestDescriptorsArriveWithTheirBytes(t *testing.T) {
	a, file, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := Conn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Send(a, []byte("hello"), int(w.Fd())); err != nil {
		t.Fatal(err)
	}
	w.Close()
	in := NewReader(b)
	buf := make([]byte, 5)
	if _, err := io.ReadFull(in, buf); err != nil || string(buf) != "hello" {
		t.Fatalf("read %q, %v", buf, err)
	}
	got := in.Take()
	if len(got) != 1 {
		t.Fatalf("got %d descriptors, want 1", len(got))
	}
	got[0].WriteString("through")
	got[0].Close()
	text, _ := io.ReadAll(r)
	if string(text) != "through" {
		t.Fatalf("the descriptor that arrived is another one: read %q", text)
	}
}

func TestTooManyDescriptorsAreRefused(t *testing.T) {
	a, file, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer a.Close()
	if err := Send(a, []byte("x"), make([]int, Max+1)...); err == nil {
		t.Fatal("more descriptors than Max were sent")
	}
}

func TestEndOfStreamIsEOF(t *testing.T) {
	a, file, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Conn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	a.Close()
	if n, err := NewReader(b).Read(make([]byte, 8)); !errors.Is(err, io.EOF) {
		t.Fatalf("read %d, %v; want io.EOF", n, err)
	}
}
