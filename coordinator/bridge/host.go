package bridge

import (
	"net"
	"net/http"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// onlyLocalHosts refuses requests whose Host is no name of this machine's own. A page of another site can make a browser ask a loopback address under the
// site's own name, which then counts as the same origin (DNS rebinding); its Host betrays it.
func onlyLocalHosts(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocalHost(r.Host) {
			setHeaders(w.Header())
			writeError(w, r, fault.New(fault.Forbidden, "host %s is not this machine: ask for localhost or the loopback address", fault.Quote(r.Host)))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isLocalHost tells whether a Host header, with its port or without, names the loopback address. A request of HTTP/1.0 may have none.
func isLocalHost(host string) bool {
	if host == "" {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// isLoopback tells whether only this machine can reach a listener's address.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
