import Decoding
import Foundation
import LineProtocol
import OperatingSystem
import Requirements
import Testing

@testable import Gateway

@Test(.patient)
func `signs of an attack and contradictions of the receiver are in the status and in the metrics`() async throws {
  try await Bench().run { bench in
    func receive(_ second: Int, latitude: String = "4722.6133", after verdicts: [UInt8] = []) async {
      let time = String(format: "07%02d%02d.00", 31 + second / 60, second % 60)
      await bench.receive(verdicts + nmea("GNGGA,\(time),\(latitude),N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    }
    func metrics() async -> [String] {
      await bench.gateway.metrics().lines.filter { $0.contains(/^onefix_receiver_(?:attack|jumps)/) }
    }
    // The check of the receiver needs 60 epochs. These epochs have no speed.
    for second in 0..<60 { await receive(second) }
    #expect(await bench.gateway.ownerStatus["receiver-defects"] == "no-speed")
    #expect(await bench.gateway.ownerStatus["attack"] == nil)
    await receive(60, after: UBXFrame.encode(.secSIG, [2, 0x1B, 0, 0]))
    #expect(await bench.gateway.ownerStatus["attack"] == "none")
    #expect(
      await metrics() == [
        #"onefix_receiver_attack{kind="jamming"} 0"#, #"onefix_receiver_attack{kind="jump"} 0"#,
        #"onefix_receiver_attack{kind="spoofing"} 0"#, "onefix_receiver_jumps_total 0",
      ])
    // Ten minutes of latitude are 18.5 km.
    await receive(61, latitude: "4732.6133", after: UBXFrame.encode(.secSIG, [2, 0x2D, 0, 0]))
    #expect(await bench.gateway.ownerStatus["attack"] == "spoofing-suspected,jump,interference")
    #expect(
      await metrics() == [
        #"onefix_receiver_attack{kind="jamming"} 1"#, #"onefix_receiver_attack{kind="jump"} 1"#,
        #"onefix_receiver_attack{kind="spoofing"} 1"#, "onefix_receiver_jumps_total 1",
      ])
  }
}
