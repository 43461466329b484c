import Glibc
import PseudoTerminals
import Sentences
import Synchronization

/// Debian's gpsd with a pseudo-terminal as its receiver. (packages gpsd and gpsd-clients)
final class FedGPSD: Sendable {
  static let path = "/usr/sbin/gpsd"
  static let isThere = unsafe access(path, X_OK) == 0

  struct Failure: Error {
    var number: Int32
  }

  let port: Int
  private let terminal: PseudoTerminal
  private let process: pid_t
  private let second = Mutex(0)
  private let isRunning = Atomic(true)

  init(port: Int) throws {
    terminal = try PseudoTerminal()
    self.port = port
    // Otherwise the child process would inherit the listeners of other tests.
    let script = """
      for file in /proc/self/fd/*; do number=${file##*/}; [ $number -gt 2 ] && eval "exec $number>&-"; done 2>/dev/null
      exec \(FedGPSD.path) -N -n -b -S \(port) \(terminal.path)
      """
    process = try FedGPSD.spawn(["/bin/bash", "-c", script])
  }

  deinit { stop() }

  private static func spawn(_ words: [String]) throws -> pid_t {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var process: pid_t = 0
    // The words end with a null pointer and are valid during the call.
    let result = unsafe posix_spawn(&process, words[0], nil, nil, pointers, environ)
    guard result == 0 else { throw Failure(number: result) }
    return process
  }

  func stop() {
    guard isRunning.exchange(false, ordering: .relaxed) else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    // The pointer is valid during the call.
    unsafe waitpid(process, &status, 0)
  }

  /// Sends the next epoch if gpsd has read the previous ones.
  func feed() {
    let number = second.withLock { $0 }
    let clock = "12\(two(number / 60 % 60))\(two(number % 60)).00"
    let text =
      nmeaSentence("GNRMC,\(clock),A,4717.1139,N,00833.9159,E,3.0,92.0,211126,,,A")
      + nmeaSentence("GNGGA,\(clock),4717.1139,N,00833.9159,E,1,08,0.9,409.1,M,47.7,M,,")
      + nmeaSentence("GNGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
      + nmeaSentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    if terminal.send(text) == text.utf8.count { second.withLock { $0 += 1 } }
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
