import Glibc
package import OperatingSystem

/// The resource usage of a process: processor time, memory and open files. (proc(5))
package struct ProcessUsage: Hashable, Sendable {
  package var processorSeconds: Double
  package var virtualBytes: Int
  package var residentBytes: Int
  /// The start time of the process, in seconds since 1970.
  package var startSeconds: Double
  package var openFiles: Int
  package var mostOpenFiles: Int?

  /// The resource usage of the current process; nil if /proc is not available.
  package static var own: ProcessUsage? {
    let tree = FileTree(root: "", deviceType: S_IFCHR)
    var limit = rlimit()
    let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return ProcessUsage(
      tree, ticks: sysconf(Int32(_SC_CLK_TCK)), pageSize: sysconf(Int32(_SC_PAGESIZE)),
      mostOpenFiles: isKnown ? Int(clamping: limit.rlim_cur) : nil)
  }

  init?(_ tree: FileTree, ticks: Int, pageSize: Int, mostOpenFiles: Int?) {
    // The process name can contain any character, so parsing begins after its closing parenthesis.
    guard let text = tree.text(of: "/proc/self/stat"), let end = text.lastIndex(of: ")"), ticks > 0,
      let boot = tree.text(of: "/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
      let booted = Double(boot.dropFirst(6))
    else { return nil }
    // Index 0 of the fields is the state of the process, which is the third field of the file.
    let fields = text[end...].dropFirst(2).split(whereSeparator: \.isWhitespace).map { Int($0) }
    guard fields.count > 21, let user = fields[11], let system = fields[12], let start = fields[19],
      let size = fields[20], let pages = fields[21]
    else { return nil }
    processorSeconds = Double(user + system) / Double(ticks)
    virtualBytes = size
    residentBytes = pages * pageSize
    startSeconds = booted + Double(start) / Double(ticks)
    // The folder /proc/self/fd is itself open while its names are read, so one descriptor is subtracted.
    openFiles = max(0, tree.names(in: "/proc/self/fd").count - 1)
    self.mostOpenFiles = mostOpenFiles
  }

  /// The metrics of the resource usage. Their names begin with `onefix_`, because names with `process_` would stand for
  /// the metrics collector, the program that reads the metrics from a file.
  package var families: [MetricFamily] {
    [
      .counter("onefix_process_cpu_seconds", unit: "seconds", "Processor time.").with(processorSeconds),
      .gauge("onefix_process_virtual_memory_bytes", unit: "bytes", "Size of the address space.").with(virtualBytes),
      .gauge("onefix_process_resident_memory_bytes", unit: "bytes", "Resident memory.").with(residentBytes),
      .gauge("onefix_process_start_time_seconds", unit: "seconds", "Start time since 1970.")
        .with(startSeconds),
      .gauge("onefix_process_open_fds", "Open file descriptors.").with(openFiles),
      .gauge("onefix_process_max_fds", "Maximum number of open file descriptors.").with(mostOpenFiles),
    ]
  }
}
