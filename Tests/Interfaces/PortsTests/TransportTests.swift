import Ports
import Testing

@Test(
  arguments: [
    ([.unix], 4096, true, false), ([.tcp, .tls], 4096, false, false), ([.serial], 512, false, false),
    ([.gpsd, .nmea], nil, true, true), ([.mqtt, .http, .file], nil, false, false),
  ] as [([Transport], Int?, Bool, Bool)])
func `each transport has its longest line, and may identify the process or only watch`(
  transports: [Transport], longest: Int?, identifies: Bool, isForWatching: Bool
) {
  for transport in transports {
    #expect(transport.longestLine == longest && transport.identifiesProcess == identifies)
    #expect(transport.isForWatching == isForWatching && transport.hasSatellites == isForWatching)
  }
}
