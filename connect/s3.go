package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cellwall/cellwall"
)

// bucket is a bucket, or what is below a prefix of one.
type bucket struct {
	*connection
	prefix string // "" or with a slash behind it
}

func checkS3(c *connection) (source, error) {
	if err := only(c.url, "endpoint", "region", "tls"); err != nil {
		return nil, err
	}
	switch {
	case c.url.Host == "" || c.url.User != nil:
		return nil, errors.New("its url names no bucket, or a user, which is a key of its own")
	case (c.User == "") != (c.SecretFile == "" && c.SecretEnv == ""):
		return nil, errors.New("a user (the access key) needs a secret, and the other way round")
	}
	b := bucket{connection: c, prefix: strings.Trim(c.url.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	return b, nil
}

func (b bucket) takes(ask Ask) error {
	if ask.Table != "" || ask.Query != "" || (ask.Key == "") == (ask.Prefix == "") {
		return badAsk("it is a bucket", "give the key of an object, or a prefix")
	}
	if ask.Prefix != "" {
		return plainKey(strings.TrimSuffix(ask.Prefix, "/"))
	}
	return plainKey(ask.Key)
}

// plainKey refuses a key that could lead out of the prefix.
func plainKey(key string) error {
	// Some servers keep objects as files: what leads out of the prefix there leads out here.
	odd := func(part string) bool { return part == "" || part == "." || part == ".." }
	if slices.ContainsFunc(strings.Split(key, "/"), odd) || strings.ContainsAny(key, "\x00\\") {
		return badAsk("its key has an empty part, dots for one, a backslash or a NUL", "give the key of an object, without a slash before it")
	}
	return nil
}

// read copies an object, or joins those below a prefix.
func (b bucket) read(ctx context.Context, ask Ask, s secret, out *full) (*Snapshot, error) {
	q := b.url.Query()
	endpoint, secure := q.Get("endpoint"), q.Get("tls") != "false"
	if endpoint == "" {
		endpoint = "s3.amazonaws.com"
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, failed("it cannot be reached", "the operator has to look at it", err)
	}
	defer transport.CloseIdleConnections()
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewStaticV4(b.User, s.text, ""), Secure: secure, Region: q.Get("region"), Transport: transport, MaxRetries: 3,
	})
	if err != nil {
		return nil, failed("its address is not understood", "the operator has to look at it", err)
	}
	if ask.Prefix != "" {
		return b.join(ctx, client, ask, out)
	}
	return b.one(ctx, client, ask, out)
}

// one copies an object.
func (b bucket) one(ctx context.Context, client *minio.Client, ask Ask, out *full) (*Snapshot, error) {
	object, err := client.GetObject(ctx, b.url.Host, b.prefix+ask.Key, minio.GetObjectOptions{})
	if err != nil {
		return nil, bucketError(err)
	}
	defer object.Close()
	info, err := object.Stat()
	if err != nil {
		return nil, bucketError(err)
	}
	if info.Size > out.most {
		return nil, tooLarge(fmt.Sprintf("more than %d bytes", out.most))
	}
	if err := copied(out, object, info.Size); err != nil {
		return nil, err
	}
	return &Snapshot{Name: path.Base(ask.Key)}, nil
}

// bucketError is what the server says of an object.
func bucketError(err error) error {
	var own *cellwall.Error
	if errors.As(err, &own) {
		return err
	}
	switch said := minio.ToErrorResponse(err); {
	case said.StatusCode == http.StatusNotFound:
		return refused(cellwall.CodeNotFound, "there is no such object", "look at the spelling of the key", err)
	case said.StatusCode == http.StatusForbidden:
		return refused(cellwall.CodeForbidden, "the connection's key may not read it", "the operator has to look at it", err)
	}
	return failed("it cannot be reached, or breaks off", "try again later", err)
}
