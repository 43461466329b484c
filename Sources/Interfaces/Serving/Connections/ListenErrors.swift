import Glibc
import NIOCore
import OperatingSystem
package import Ports

extension ListenError {
  /// Creates the error of a listener from the error of a failed system call.
  /// - Parameters:
  ///   - address: The path of a socket, or an address with its port.
  ///   - remedy: The remedy in the error message, if the cause has no better remedy.
  package init(address: String, _ error: any Error, remedy: String) {
    guard let number = (error as? IOError)?.errnoCode else {
      self.init(address: address, cause: "\(error)", remedy: remedy)
      return
    }
    let text = systemErrorText(number)
    switch number {
    case EADDRINUSE: self.init(address: address, .taken, cause: text, remedy: remedy)
    case EAFNOSUPPORT:
      self.init(
        address: address, .noAddress, cause: "the kernel has no IPv6, or the service may not use it",
        remedy: "use an IPv4 address, or remove ipv6.disable=1 from the kernel's command line")
    case EADDRNOTAVAIL where address.hasPrefix("[::1]:"):
      self.init(
        address: address, .noAddress, cause: "IPv6 is switched off on this machine",
        remedy: "use an IPv4 address, or sudo sysctl net.ipv6.conf.lo.disable_ipv6=0")
    case EADDRNOTAVAIL:
      self.init(
        address: address, .noAddress, cause: "this machine does not have the address",
        remedy: "ip address lists the addresses")
    case EACCES, EPERM:
      self.init(
        address: address, .denied, cause: text,
        remedy: address.hasPrefix("/") ? remedy : "use a port above 1023, which needs no permission")
    default: self.init(address: address, cause: text, remedy: remedy)
    }
  }
}
