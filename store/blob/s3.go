package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cellwall/cellwall"
)

// S3Options say where a bucket is. The keys come from AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY.
type S3Options struct {
	Bucket     string
	Prefix     string // of every object, without slashes around it; "" = none
	Endpoint   string // host:port; "" = s3.amazonaws.com
	Region     string
	Insecure   bool   // without TLS
	Dir        string // of this host, for what is on its way and for the cache
	CacheBytes int64  // 0 = 1 GiB
}

const defaultCache = 1 << 30

// S3 keeps contents as objects <prefix>/<first two characters>/<place> of one
// bucket, and copies of those that were read last on this host.
type S3 struct {
	client    *minio.Client
	transport *http.Transport
	opts      S3Options
	cache     *cache
}

// OpenS3 looks whether the bucket is there.
func OpenS3(ctx context.Context, o S3Options) (*S3, error) {
	if o.Endpoint == "" {
		o.Endpoint = "s3.amazonaws.com"
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = defaultCache
	}
	transport, err := minio.DefaultTransport(!o.Insecure)
	if err != nil {
		return nil, bucketError(err)
	}
	client, err := minio.New(o.Endpoint, &minio.Options{
		Creds: credentials.NewEnvAWS(), Secure: !o.Insecure, Region: o.Region, Transport: transport,
	})
	if err != nil {
		return nil, bucketError(err)
	}
	there, err := client.BucketExists(ctx, o.Bucket)
	if err == nil && !there {
		err = errors.New("there is no such bucket")
	}
	if err != nil {
		transport.CloseIdleConnections()
		return nil, bucketError(err)
	}
	s := &S3{client: client, transport: transport, opts: o}
	if err := os.MkdirAll(s.incoming(), 0o700); err != nil {
		return nil, fmt.Errorf("open contents: %w", err)
	}
	if err := sweep(s.incoming()); err != nil {
		return nil, fmt.Errorf("open contents: %w", err)
	}
	if s.cache, err = openCache(filepath.Join(o.Dir, "contents"), o.CacheBytes); err != nil {
		return nil, err
	}
	return s, nil
}

func bucketError(err error) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "open bucket", Err: err,
		Hint: "look at the endpoint, the bucket's name, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
	}
}

// Close ends the connections that nobody uses.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Stage makes an empty file on the way into the store.
func (s *S3) Stage() (*Staged, error) { return stage(s.incoming()) }

// Keep uploads a staged content. The service has it whole when Keep returns; its
// hash goes with it, so that a broken transfer is refused there.
func (s *S3) Keep(ctx context.Context, staged *Staged) (string, error) {
	place := newPlace(staged.SHA256())
	if err := s.put(ctx, place, staged); err != nil {
		return "", fmt.Errorf("keep content: %w", err)
	}
	s.cache.adopt(place, staged)
	return place, nil
}

func (s *S3) put(ctx context.Context, place string, staged *Staged) error {
	if _, err := staged.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := s.client.PutObject(ctx, s.opts.Bucket, s.key(place), staged.file, staged.Bytes(), minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true,
	})
	return err
}

// Open gives a content from the cache, into which it is copied when it is not
// there and is what its place says.
func (s *S3) Open(ctx context.Context, place string) (*os.File, error) {
	if _, err := sumOf(place); err != nil {
		return nil, err
	}
	return s.cache.open(ctx, place, func(to *Staged) error {
		object, err := s.client.GetObject(ctx, s.opts.Bucket, s.key(place), minio.GetObjectOptions{})
		if err == nil {
			defer object.Close()
			_, err = to.ReadFrom(object)
		}
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			return gone(place, nil)
		}
		if err != nil {
			return fmt.Errorf("fetch content: %w", err)
		}
		return nil
	})
}

// Delete removes a content, from the cache of this host too.
func (s *S3) Delete(ctx context.Context, place string) error {
	if _, err := sumOf(place); err != nil {
		return err
	}
	s.cache.drop(place)
	if err := s.client.RemoveObject(ctx, s.opts.Bucket, s.key(place), minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("delete content: %w", err)
	}
	return nil
}

// Each tells every place.
func (s *S3) Each(ctx context.Context, do func(place string, at time.Time) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // else the listing goes on behind an error of do
	prefix := ""
	if s.opts.Prefix != "" {
		prefix = s.opts.Prefix + "/"
	}
	for object := range s.client.ListObjects(ctx, s.opts.Bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return fmt.Errorf("list contents: %w", object.Err)
		}
		place := object.Key[strings.LastIndex(object.Key, "/")+1:]
		if _, err := sumOf(place); err != nil || s.key(place) != object.Key {
			continue // none of ours
		}
		if err := do(place, object.LastModified); err != nil {
			return err
		}
	}
	return nil
}

func (s *S3) incoming() string { return filepath.Join(s.opts.Dir, dirIncoming) }

func (s *S3) key(place string) string {
	key := place[:2] + "/" + place
	if s.opts.Prefix != "" {
		key = s.opts.Prefix + "/" + key
	}
	return key
}
