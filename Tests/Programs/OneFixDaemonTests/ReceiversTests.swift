import Configuration
import Decoding
import NIOEmbedded
import Testing

@testable import onefixd

/// UBX has a number for each port of a receiver.
@Test(arguments: [
  ("i2c:/dev/i2c-1", ReceiverPort.i2c), ("uart:/dev/ttyS0", .uart1), ("uart:/dev/ttyUSB0:9600", .uart1),
  ("simulated", .uart1), ("replay:log.nmea@max", .uart1), ("gpsd", .uart1),
])
func `the gateway configures the port of the receiver that leads to it`(text: String, port: ReceiverPort) throws {
  let source = try ReceiverSpec(text).source(on: EmbeddedEventLoop(), requiresChecksum: true, wakeUp: [])
  #expect(source.receiverPort == port)
}
