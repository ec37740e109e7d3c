package registry

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
)

// Streams gives the streams behind the bucket and the object store as [Open] and [OpenObjects] make them, for those who make them by other means.
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

	objects.Name, objects.Description = "OBJ_"+names.ObjectBucket(), "jetseek: bodies larger than a message"
	objects.Subjects = []string{"$O." + names.ObjectBucket() + ".C.>", "$O." + names.ObjectBucket() + ".M.>"}
	objects.MaxMsgsPerSubject = -1
	return []jetstream.StreamConfig{bucket, objects}
}
