package bridge

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// Limits of compressed bodies, against those that are small to send and large to hold.
const (
	// mostRatio is how many times its size a body may grow; text and JSON grow 3 to 20 times.
	mostRatio = 100
	// ratioFree is the size up to which the ratio does not count: small bodies of one repeated line grow more.
	ratioFree = 64 << 10
)

var errRatio = errors.New("the body grows too much")

// isCompressed tells whether a request's body is compressed by gzip, once. What else its Content-Encoding may say is bad_request.
func isCompressed(header http.Header) (bool, error) {
	encoding := strings.Join(header.Values("Content-Encoding"), ", ")
	switch strings.ToLower(encoding) {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	}
	return false, fault.New(fault.BadRequest, "Content-Encoding %s is not supported; use gzip, once, or send the body as it is", fault.Quote(encoding))
}

// inflater reads a body that is one gzip member and nothing behind it. It ends with errOver when the compressed body has more than most bytes, and with errRatio
// when the body grows beyond mostRatio.
type inflater struct {
	raw *bufio.Reader
	in  counter
	z   *gzip.Reader
	out int64
}

func inflate(body io.Reader, most int64) (*inflater, error) {
	f := &inflater{in: counter{from: body, most: most}}
	f.raw = bufio.NewReader(&f.in)
	var err error
	if f.z, err = gzip.NewReader(f.raw); err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	f.z.Multistream(false)
	return f, nil
}

func (f *inflater) Read(b []byte) (int, error) {
	n, err := f.z.Read(b)
	f.out += int64(n)
	if f.out > ratioFree && f.out > mostRatio*f.in.n {
		return n, errRatio
	}
	if err == io.EOF {
		if _, more := f.raw.ReadByte(); more == nil {
			return n, errors.New("gzip: bytes behind the end")
		}
		return n, io.EOF
	}
	if err != nil {
		return n, fmt.Errorf("gzip: %w", err)
	}
	return n, nil
}

// counter counts what is read, and ends with errOver past most bytes.
type counter struct {
	from    io.Reader
	n, most int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	if c.n > c.most {
		return n, errOver
	}
	return n, err
}
