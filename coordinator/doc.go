// Package coordinator asks and merges, and owns no document: it checks requests, packs writes into the groups' logs, scatters queries to members and
// gathers their replies. It may import subjects, coordinator/rank and the engine's vocabulary, never package engine or shard: the compiler proves that it
// owns nothing.
//
// # One write
//
// A document is checked against its collection's schema; fields it adds are decided by compare-and-set on the collection's record. Its
// group's packer takes all writes that queued up while the message before was on its way, packs them into one record and publishes it: one sync of
// the log for many writers. Before the publish a [flight] is launched under the record's counter; members report outcomes under that counter, so a report counts even if
// the acknowledgement of the publish was lost. The flight is
//
//	stored   when the log has acknowledged it, or a member has reported it
//	decided  when one member has reported its outcomes: all members reach the same. While no member does, a commit record
//	         decides for durability: see [committer]
//	visible  when every holder has applied it or its lease has certainly run out
//
// Holders are the incarnations in the lease table before the message, as the first report gives it. A holder that does not acknowledge is waited for until
// min(ta, seen(g)) + L(1+mu) + 0.2 s: ta is when the message was acknowledged, g the holder's newest lease before it, seen(g) when this
// coordinator first heard of g. So the first write after a member's death waits, and no other. A lease that has certainly run out and was not renewed is then taken out of the
// table by an evict record that names it, so that a coordinator which starts later does not wait for it anew; if it was renewed meanwhile the record means nothing.
// An [auditor] asks all members for documents whose delete was verified, once a second; a find is counted, logged, and an alarm in /_members.
//
// A write with a request id carries a key of it and its line. Members answer a key that they have decided before with the first outcome, so the same request may be
// sent again, to any coordinator, when its outcome is not known. Ids that are made are a function of the key.
//
// # One search
//
// Scores need the statistics of all groups. Those that groups have told are remembered and sent along with the search: a member whose snapshot has what is believed of its group searches under the
// weights of all. One whose snapshot has not tells what it has; then weights are made of what is true, and the same snapshots are searched again. Both ways give the same bits. Where beliefs keep
// failing, because others write, and where there are none, statistics are asked for first: trip one asks one member of each group for the statistics of the query's terms and pins its snapshot, trip two
// searches those snapshots under the weights of their sum. The lists are merged by the total order. The last trip fetches the page's documents from the same
// snapshots, less those deleted since, and cuts the snippets from them. A query without terms to weigh begins with trip two. A member that is lost between trips, or has a newer map or schema,
// makes the round start over; nothing of an earlier round is kept. A group of which no member answers in the budget is missing, and the answer says so.
//
// # One walk
//
// The first page writes a pin into every group's log, at whose place all its members keep their snapshot, and searches there. The cursor says all that the next page needs, and is sealed with a
// secret of the cluster: the first page's request, the pins' places, the last place that was given. Statistics are gathered anew at those snapshots, so scores have the same
// bits, from whichever members. A third of the time that a snapshot is kept later, a page has all members keep it for longer, through the log again. For a group that does
// not answer the page fails: what it had would be passed over.
//
// # One suggestion
//
// Each group is asked at its newest snapshot, and each trip stands for itself. A completion asks for the most frequent terms under the prefix and how frequent those left out can be
// ([query.AgreeCompletions]); where that does not prove which terms are the first of all, for ten times as many, up to [query.MaxCompletions]. A correction asks for the terms near each word, as
// fuzzy queries do ([query.Nearest]).
package coordinator
