package access

import (
	"fmt"
	"strings"
)

// Snippet writes the plan as the authorization block of a nats-server's configuration. Passwords come from the environment of the server:
// $JETSEEK_READER_PASSWORD and so on.
func (p *Plan) Snippet() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Roles of jetseek for a NATS account with JetStream, prefix %s. Each role's connections must use its inbox prefix.\n", p.Prefix)
	b.WriteString("# The streams must be there: jetseek nats-plan --json has their configuration. Run the server with jetstream { sync_interval: always }.\n")
	b.WriteString("authorization {\n  users = [\n")
	for _, r := range p.Roles {
		fmt.Fprintf(&b, "    { # inbox prefix %s\n", r.Inbox)
		fmt.Fprintf(&b, "      user: %s, password: %s\n", r.Name, r.PasswordVariable())
		b.WriteString("      permissions {\n")
		writeSubjects(&b, "publish", r.Publish)
		writeSubjects(&b, "subscribe", r.Subscribe)
		b.WriteString("      }\n    }\n")
	}
	b.WriteString("  ]\n}\n")
	return b.String()
}

// PasswordVariable names the variable that stands for the role's password in [Plan.Snippet].
func (r *Role) PasswordVariable() string { return "$JETSEEK_" + strings.ToUpper(r.Name) + "_PASSWORD" }

func writeSubjects(b *strings.Builder, what string, subjects []string) {
	fmt.Fprintf(b, "        %s: { allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(b, "          %q\n", s)
	}
	b.WriteString("        ] }\n")
}
