/// The error that the gateway cannot listen on an address or a socket.
package struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of the error. The status of the gateway contains the raw value.
  package enum Fault: String, Hashable, Sendable {
    /// Another program already listens on the address or the socket.
    case taken
    /// The machine does not have the address, for example because IPv6 is switched off.
    case noAddress = "no-address"
    /// The daemon has no permission to listen on the address.
    case denied
    /// The gateway cannot use the certificate or the private key for TLS.
    case certificate
    case failed
  }

  /// The path of a Unix socket, or a network address with its port.
  package var address: String
  package var fault: Fault
  package var cause: String
  package var remedy: String

  package init(address: String, _ fault: Fault = .failed, cause: String, remedy: String) {
    self.address = address
    self.fault = fault
    self.cause = cause
    self.remedy = remedy
  }

  package var description: String { "cannot listen on \(address): \(cause) (\(remedy))" }
}
