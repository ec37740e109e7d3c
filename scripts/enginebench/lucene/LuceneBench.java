import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene's side of the comparison: answers the commands that serve.go describes, over the folder that is its only argument. Lucene as it comes, but without compound
 * files, so that the size of its postings can be seen, with 256 MiB of buffer, as much as the engine has, and without the cache of queries.
 */
public final class LuceneBench {
    private static final double BUFFER_MIB = 256;

    private final Path folder;
    private DirectoryReader reader;
    private IndexSearcher searcher;
    private final Map<String, List<Question>> byClass = new HashMap<>();

    private static final class Question {
        Query query;
        int hits;
        boolean exact;
    }

    private LuceneBench(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        LuceneBench bench = new LuceneBench(Paths.get(args[0]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line; (line = commands.readLine()) != null && !line.equals("end"); out.flush()) {
            String[] f = line.split("\t");
            try {
                switch (f[0]) {
                    case "index": out.println(bench.index()); break;
                    case "open": out.println(bench.open()); break;
                    case "run": out.println(bench.run(f[1], Integer.parseInt(f[2]), out)); break;
                    default: out.println("error\tunknown command " + f[0]);
                }
            } catch (IOException e) {
                out.println("error\t" + e.toString().replace('\n', ' '));
            }
        }
    }

    private static long processNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long threadNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private Path path() {
        return folder.resolve("lucene");
    }

    private String index() throws IOException {
        long began = processNs(), wall = System.nanoTime();
        remove();
        IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
        config.setSimilarity(new BM25Similarity());
        config.setRAMBufferSizeMB(BUFFER_MIB);
        config.setUseCompoundFile(false);
        config.getMergePolicy().setNoCFSRatio(0);
        int docs = 0;
        try (MMapDirectory directory = new MMapDirectory(path());
                IndexWriter writer = new IndexWriter(directory, config);
                BufferedReader lines = Files.newBufferedReader(folder.resolve("docs"))) {
            for (String line; (line = lines.readLine()) != null; docs++) {
                int tab = line.indexOf('\t');
                Document doc = new Document();
                doc.add(new StringField("id", Integer.toString(docs), Field.Store.YES));
                doc.add(new StringField("tag", line.substring(0, tab), Field.Store.YES));
                doc.add(new TextField("body", line.substring(tab + 1), Field.Store.YES));
                writer.addDocument(doc);
            }
            for (int n = 0; n < docs; n++) {
                if (Long.remainderUnsigned(mix(n + (1L << 32)), 20) == 0) {
                    writer.deleteDocuments(new Term("id", Integer.toString(n)));
                }
            }
            writer.commit();
        } // closing waits for merges
        long bytes = 0, postings = 0;
        for (File file : path().toFile().listFiles()) {
            bytes += file.length();
            postings += file.getName().endsWith(".doc") ? file.length() : 0;
        }
        int segments;
        try (DirectoryReader r = DirectoryReader.open(new MMapDirectory(path()))) {
            segments = r.leaves().size();
        }
        return "ok\tdocs=" + docs + "\tbytes=" + bytes + "\tpostings_bytes=" + postings + "\tsegments=" + segments
                + "\tns=" + (processNs() - began) + "\twall_ns=" + (System.nanoTime() - wall);
    }

    /** The same numbers as mix in corpus.go: which documents are deleted. */
    private static long mix(long n) {
        n += 0x9e3779b97f4a7c15L;
        n = (n ^ n >>> 30) * 0xbf58476d1ce4e5b9L;
        n = (n ^ n >>> 27) * 0x94d049bb133111ebL;
        return n ^ n >>> 31;
    }

    private void remove() throws IOException {
        if (!Files.exists(path())) {
            return;
        }
        try (Stream<Path> files = Files.walk(path()).sorted(Comparator.reverseOrder())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
    }

    private String open() throws IOException {
        long began = processNs(), wall = System.nanoTime();
        reader = DirectoryReader.open(new MMapDirectory(path()));
        searcher = new IndexSearcher(reader);
        searcher.setSimilarity(new BM25Similarity());
        searcher.setQueryCache(null);
        String figures = "ok\tns=" + (processNs() - began) + "\twall_ns=" + (System.nanoTime() - wall);
        for (String line : Files.readAllLines(folder.resolve("queries"))) {
            String[] f = line.split("\t");
            Question q = new Question();
            q.query = query(f[1], f[4], f[5].split(" "));
            q.hits = Integer.parseInt(f[2]);
            q.exact = f[3].equals("exact");
            byClass.computeIfAbsent(f[0], c -> new ArrayList<>()).add(q);
        }
        return figures;
    }

    private static Query query(String kind, String tag, String[] words) throws IOException {
        Query query;
        if (kind.equals("phrase")) {
            query = new PhraseQuery("body", words);
        } else if (words.length == 1) {
            query = new TermQuery(new Term("body", words[0]));
        } else {
            BooleanQuery.Builder all = new BooleanQuery.Builder();
            for (String word : words) {
                all.add(new TermQuery(new Term("body", word)), kind.equals("any") ? BooleanClause.Occur.SHOULD : BooleanClause.Occur.MUST);
            }
            query = all.build();
        }
        if (tag.isEmpty()) {
            return query;
        }
        return new BooleanQuery.Builder().add(query, BooleanClause.Occur.MUST)
                .add(new TermQuery(new Term("tag", tag)), BooleanClause.Occur.FILTER).build();
    }

    private String run(String name, int times, PrintStream out) throws IOException {
        List<Question> questions = byClass.get(name);
        if (questions == null) {
            throw new IOException("no class " + name);
        }
        long[] least = new long[questions.size()];
        java.util.Arrays.fill(least, Long.MAX_VALUE);
        TopDocs[] found = new TopDocs[least.length];
        long process = processNs(), threads = 0;
        for (int t = 0; t < times; t++) {
            for (int i = 0; i < least.length; i++) {
                Question q = questions.get(i);
                long began = threadNs();
                TopScoreDocCollector collector = TopScoreDocCollector.create(q.hits, null, q.exact ? Integer.MAX_VALUE : 1);
                searcher.search(q.query, collector);
                found[i] = collector.topDocs();
                long took = threadNs() - began;
                least[i] = Math.min(least[i], took);
                threads += took;
            }
        }
        process = processNs() - process;
        for (int i = 0; i < least.length; i++) {
            StringBuilder ids = new StringBuilder();
            for (ScoreDoc hit : found[i].scoreDocs) {
                ids.append(ids.length() > 0 ? "," : "").append(reader.document(hit.doc).get("id"));
            }
            out.println("q\t" + least[i] + "\t" + found[i].totalHits.value + "\t" + ids);
        }
        return "ok\tprocess_ns=" + process + "\tthread_ns=" + threads;
    }
}
