import Hardware
import Testing

@testable import onefixd

@Suite struct OpenFilesTests {
  @Test(arguments: [
    // A gateway without other listeners, the usual limit, and a limit above the maximum.
    (1024, 0, 0, [923, 0, 64]), (1024, 2, 5, [458, 229, 64]), (.max, 1, 0, [32_717, 32_717, 64]),
    // The smallest limits.
    (46, 1, 0, [3, 3, 2]), (41, 0, 0, [3, 0, 1]),
  ])
  func `each listener gets connections, and the socket of the apps at least as many as all others`(
    limit: Int, listeners: Int, features: Int, counts: [Int]
  ) throws {
    let files = try OpenFiles(limit: limit, listeners: listeners, features: features)
    #expect([files.apps, files.listener, files.owners] == counts)
  }

  @Test(arguments: [(45, 1, 0, 46), (40, 0, 0, 41), (55, 2, 5, 56)])
  func `a limit without four descriptors for each listener is refused, and the remedy names the smallest limit`(
    limit: Int, listeners: Int, features: Int, least: Int
  ) {
    let error = #expect(throws: HardwareError.self) {
      try OpenFiles(limit: limit, listeners: listeners, features: features)
    }
    #expect(error?.cause == "this process can open only \(limit) files")
    #expect(error?.remedy?.contains("must be at least \(least);") == true)
  }
}
