package registry

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
)

// Streams gives the streams behind the bucket and the object stores as [Open], [OpenUploads] and [OpenDocuments] make them, for those who make them by other means.
func Streams(names subjects.Names, o Options) []jetstream.StreamConfig {
	base := jetstream.StreamConfig{
		MaxConsumers: -1, MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		Replicas: max(o.Replicas, 1), Duplicates: 2 * time.Minute, AllowRollup: true, AllowDirect: true,
	}
	bucket, objects := base, base
	bucket.Name, bucket.Description = streamOf(names.Bucket()), "jetseek: map, collections, members"
	bucket.Subjects = []string{subjectPrefix(names.Bucket()) + ">"}
	bucket.MaxMsgsPerSubject, bucket.DenyDelete = 1, true
	bucket.AllowMsgTTL, bucket.SubjectDeleteMarkerTTL = true, markerTTL

	objects.MaxMsgsPerSubject = -1
	store := func(name, about string) jetstream.StreamConfig {
		s := objects
		s.Name, s.Description, s.Subjects = "OBJ_"+name, about, []string{"$O." + name + ".C.>", "$O." + name + ".M.>"}
		return s
	}
	return []jetstream.StreamConfig{bucket,
		store(names.ObjectBucket(), "jetseek: bodies larger than a message"),
		store(names.DocumentBucket(), "jetseek: documents larger than a message of a log")}
}
