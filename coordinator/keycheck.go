package coordinator

import "github.com/jetseek/jetseek/subjects/wire"

// otherKeys tells why nothing of this coordinator may go into a group's log: a member that serves has other keys, or one of the two has none. Members would pass over what it writes, and over the
// group's ownership for good; those without a key would fail at it. Nil: nothing.
func (c *Coordinator) otherKeys(group string) *wire.Error {
	for _, m := range c.view.View().Members {
		if m.Group != group || m.State != "serving" {
			continue
		}
		if err := c.keys.Suits(m.Key); err != nil {
			return unavailable(reasonOtherKeys, "this coordinator may not write to the log of group %s: the keys of member %s are others: %v; start all processes with the same --cluster-key", group, m.ID(), err)
		}
	}
	return nil
}

// keyAlarms gives what is wrong with this coordinator's keys, of each group.
func (c *Coordinator) keyAlarms() []string {
	var all []string
	for _, group := range c.groups() {
		if err := c.otherKeys(group); err != nil {
			all = append(all, err.Message)
		}
	}
	return all
}
