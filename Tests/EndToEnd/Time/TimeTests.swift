import Foundation
import Glibc
import Requirements
import Testing

/// The receiver's time for chrony.
@Suite struct TimeTests {
  @Test(.needs("apt-get install chrony", Chrony.isInstalled), arguments: [5.0, -5.0])
  func `chronyd selects the receiver, and computes the offset of the clock`(ahead: Double) async throws {
    let chrony = try Chrony()
    try await chrony.start()
    let terminal = try Terminal()
    let configuration = "[time]\nchrony = \"\(chrony.socket)\"\n"
    try await Daemon.with(receiver: "uart:\(terminal.path):115200", configuration: configuration) { daemon in
      let receiver = PresentTime(into: terminal, ahead: ahead)
      try await chrony.waitUntilSelected()
      let offset = try await chrony.offset()
      // A busy machine delays the bytes. A late byte makes the offset smaller.
      #expect(abs(offset - ahead) < 1, "\(offset)")
      let status = try await daemon.status()
      #expect(status["time"] == "sent" && status["time-failed"] == "0")
      #expect((Int(status["time-sent"] ?? "") ?? 0) >= 3)
      #expect(status["time-offset-s"].flatMap(Double.init).map { abs($0 - ahead) < 1 } == true)
      #expect(try await daemon.onefix("status").output.contains { $0.hasPrefix("Time ") && $0.contains("offset") })
      #expect(try await daemon.onefix("metrics").output.contains { $0.hasPrefix("onefix_time_offset_seconds ") })
      #expect(
        try await daemon.onefix("report").output.contains { $0.hasPrefix("chrony gets the time of the receiver") })
      // Time is not location.
      #expect(try await daemon.log().isEmpty && status["indicator"] == "off")
      withExtendedLifetime(receiver) {}
    }
  }

  @Test(.needs("apt-get install chrony", Chrony.isInstalled))
  func `chronyd may start later, restart and stop reading, and the daemon continues`() async throws {
    let chrony = try Chrony()
    let terminal = try Terminal()
    let configuration = "[time]\nchrony = \"\(chrony.socket)\"\n"
    try await Daemon.with(receiver: "uart:\(terminal.path):115200", configuration: configuration) { daemon in
      let receiver = PresentTime(into: terminal, ahead: 0)
      try await daemon.status("time-fault", is: "no-such-file-or-directory")
      for _ in 0..<2 {
        try await chrony.start()
        try await chrony.waitUntilSelected()
        try await chrony.stop()
        try await daemon.status("time", is: "failed")
      }
      try await chrony.start()
      try await chrony.waitUntilSelected()
      chrony.hold()
      try await daemon.status("time-fault", is: "resource-temporarily-unavailable")
      _ = try await daemon.fix()
      chrony.resume()
      try await daemon.status("time", is: "sent")
      let warnings = daemon.process.errors.value.lines.count { $0.contains("cannot give chrony the time") }
      #expect(warnings == 1)
      withExtendedLifetime(receiver) {}
    }
  }

  @Test func `a receiver without a fix, and a simulated one, give no sample`() async throws {
    let folder = try Folder()
    let samples = Observed<[[UInt8]]>([])
    let socket = try DatagramReceiver(folder.path("onefix.sock")) { bytes in samples.change { $0.append(bytes) } }
    let configuration = "[time]\nchrony = \"\(folder.path("onefix.sock"))\"\n"
    try await Daemon.with(receiver: "simulated", configuration: configuration) { daemon in
      _ = try await daemon.fix()
      #expect(try await daemon.status()["warnings"]?.contains("time-receiver") == true)
      #expect(try await daemon.status()["time"] == nil)
    }
    #expect(samples.value.isEmpty)
    let terminal = try Terminal()
    try await Daemon.with(receiver: "uart:\(terminal.path):115200", configuration: configuration) { daemon in
      let hasFix = Observed(false)
      let receiver = PresentTime(into: terminal, ahead: 0, status: { hasFix.value ? "A" : "V" })
      _ = try await eventually("epochs") { (Int(try await daemon.status()["frames"] ?? "") ?? 0) > 10 ? true : nil }
      #expect(try await daemon.status()["time"] == "waiting" && samples.value.isEmpty)
      hasFix.change { $0 = true }
      let sample = try await samples.first("a sample") { $0.first }
      #expect(sample.count == 40 && sample.suffix(4) == [0x4B, 0x43, 0x4F, 0x53])
      withExtendedLifetime(receiver) {}
    }
    withExtendedLifetime(socket) {}
  }
}
