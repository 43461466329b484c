import CTestShims

/// An error of `openPseudoTerminal`. The number is an errno.
package struct PseudoTerminalFailure: Error {
  package let number: Int32
}

/// Opens a pseudo-terminal.
/// - Returns: The master, which child processes do not inherit, and the path of the slave.
package func openPseudoTerminal() throws -> (master: Int32, path: String) {
  var name = [CChar](repeating: 0, count: 128)
  // The count is that of the buffer.
  let master = unsafe name.withUnsafeMutableBufferPointer { buffer in
    unsafe pseudo_terminal_open(buffer.baseAddress, buffer.count)
  }
  guard master >= 0 else { throw PseudoTerminalFailure(number: -master) }
  return (master, String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
}
