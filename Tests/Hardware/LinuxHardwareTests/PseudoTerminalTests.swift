import Glibc
import PseudoTerminals
import Testing

@testable import LinuxHardware

/// Whether a port can be opened at a path.
private func isPort(_ path: String) -> Bool {
  let descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
  if descriptor >= 0 { close(descriptor) }
  return descriptor >= 0
}

/// The terminals of the tests themselves.
@Suite struct PseudoTerminalTests {
  @Test func `the path of a terminal that hung up leads to no later terminal`() throws {
    let first = try PseudoTerminal()
    #expect(isPort(first.path))
    first.hangUp()
    // One of these has the number of the first terminal.
    let later = try (0..<16).map { _ in try PseudoTerminal() }
    #expect(!isPort(first.path))
    #expect(later.allSatisfy { isPort($0.path) })
    let replacement = try PseudoTerminal(at: first.path)
    #expect(isPort(first.path))
    // The end of the first terminal does not remove the path of its replacement.
    first.hangUp()
    #expect(isPort(replacement.path))
  }

  @Test(.enabled(if: getuid() == 0, "only root may have terminals of its own"))
  func `other processes cannot open the terminals of the tests`() throws {
    var (own, other) = (stat(), stat())
    #expect(unsafe stat("/dev/pts", &own) == 0 && stat("/proc/\(getppid())/root/dev/pts", &other) == 0)
    #expect(own.st_dev != other.st_dev)
  }
}
