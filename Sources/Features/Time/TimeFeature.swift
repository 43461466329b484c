package import Configuration
import Features
package import Gateway
package import Hardware
import MachineChecks
import OperatingSystem

/// The settings of `[time]`: the clock of this machine gets the time of the receiver.
package struct TimeFeature: Feature {
  /// The path of the Unix socket on which chrony accepts the samples of a reference clock.
  package let socket: String
  /// The time from the measurement until the receiver sends the first byte of its data, 0...2000 ms.
  package let delay: Duration
  package let location: ConfigurationLocation

  package init?(reading root: TOMLTable) {
    guard let table = root.table("time") else { return nil }
    defer { table.finish() }
    let path = table.socketPath("chrony")
    table.require("chrony")
    delay = table.milliseconds("delay_ms", in: 0...2000)?.value ?? .zero
    guard let path else { return nil }
    socket = path.value
    location = table.location(of: path)
  }

  package func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? {
    guard receiver.canSetClock, let datagrams = DatagramSocket(socket) else { return nil }
    return TimeReference(socket: socket, delay: delay, port) { datagrams.deliver($0).map { systemErrorText($0) } }
  }
}
