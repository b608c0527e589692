-- Count k-mers: how often each word of k bases occurs in sequences, or in reads of a genome.
-- A word and its reverse complement are one, the canonical k-mer. Sequencers read a genome
-- many times over, in short pieces with errors. The k-mers of the genome come about as often
-- as it is covered; an error makes up to k others that come once, so that most k-mers in the
-- table may be errors. Without a file, reads are generated: a k-mer is a random key for each
-- place of the genome, as the k-mers of random bases are.
options = {
  sequences = { "", "a FASTA or FASTQ file whose k-mers are counted, instead of generated reads", file = true },
  format = { "", "fasta or fastq, if the extension does not say it" },
  most = { 0, "how many k-mers of the file to count, from the first on; 0 is all", min = 0 },
  k = { 31, "bases of a k-mer", min = 1, max = 31 },
  genome = { 1e5, "places of the genome", min = 1000 },
  length = { 150, "bases of a read", min = 32 },
  load = { 0.7, "load factor when all k-mers are in", min = 0.01, max = 1 },
  runs = { 5, "measured counts of all k-mers", min = 1 },
}
local kmers, different

if opt.sequences ~= "" then
  kmers = gen.file(opt.sequences, { k = opt.k, format = opt.format,
    rows = opt.most > 0 and opt.most or nil, width = 8 })
  different = kmers:distinct()
  plots = { { x = "scheme", y = "mops", title = "K-mers of the file" } }
else
  axes = { coverage = { 5, 20 }, errors = { 0, 0.01 } } -- reads of each place; errors for each base
  plots = {
    { x = "coverage", y = "mops", where = { errors = 0 }, title = "Reads without errors" },
    { x = "coverage", y = "mops", where = { errors = 0.01 }, title = "An error in a hundred bases" },
  }
  local each = opt.length - opt.k + 1 -- k-mers of a read
  local reads = math.ceil(opt.genome * opt.coverage / opt.length)
  local places = gen.keys{ width = 8 }:take(opt.genome + opt.length)
  local starts = gen.uniform{ n = opt.genome }:take(reads)
  local i = gen.sequential{}:take(reads * each)
  local right = (1 - opt.errors) ^ opt.k -- fraction of the k-mers without an error
  kmers = gen.choose{ first = places:at(starts:at(i / each % reads) + i % each), second = gen.random{}, p = right }:take(#i)
  different = opt.genome + opt.length + math.ceil(#i * (1 - right) * 1.1)
end
shape = { n = math.max(different, 1000), load = opt.load, pair = "k8v8" }
stages = { { name = "reads", batches = opt.runs, warmup = 1 } }

function prepare(t)
  if opt.sequences ~= "" then t:note(string.format("%d k-mers, %d different ones", #kmers, different)) end
end

function event(t)
  t:clear()
  t:tally(kmers)
end
