import Glibc
import OperatingSystem

/// The result of a child process: its standard output and its exit status.
struct ChildOutput {
  /// The exit status of the child process. If a signal has ended the process, the value is 128 plus the signal's
  /// number.
  let status: Int32
  let lines: [String]

  /// Runs a program and waits for its end. The result is nil if the program is neither in the folder of this program
  /// nor in the PATH.
  init?(ofSibling name: String, _ arguments: [String]) {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    defer { close(ends[0]) }
    var pid: pid_t?
    for program in ChildOutput.candidates(name) where pid == nil {
      pid = ChildOutput.spawn(program, [name] + arguments, output: ends[1])
    }
    close(ends[1])
    guard let pid else { return nil }
    let bytes = (try? readToEnd(ends[0])) ?? []
    var ending: Int32 = 0
    // A signal does not interrupt the call, because the signal handlers of this program have the flag SA_RESTART.
    _ = unsafe waitpid(pid, &ending, 0)
    let signal = ending & 0x7F
    status = signal == 0 ? (ending >> 8) & 0xFF : 128 + signal
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func candidates(_ name: String) -> [String] {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return [name] }
    defer { unsafe free(path) }
    let own = unsafe String(cString: path)
    return [(own.lastIndex(of: "/").map { String(own[...$0]) } ?? "") + name, name]
  }

  private static func spawn(_ program: String, _ words: [String], output: Int32) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var pid: pid_t = 0
    // The strings are valid during the call.
    guard unsafe posix_spawnp(&pid, program, &actions, nil, &arguments, environ) == 0 else { return nil }
    return pid
  }
}
