import Foundation
import Testing

@Suite struct PackageTests {
  @Test(arguments: [
    ("ID=debian\nVERSION_ID=\"12\"", "deb12"), ("ID=debian\nVERSION_ID=\"13\"", "deb13"),
    ("ID=raspbian\nVERSION_ID=\"13\"", "deb13"), ("PRETTY_NAME=\"Debian GNU/Linux forky/sid\"\nID=debian", nil),
    ("ID=debian\nVERSION_ID=\"11\"\nPRETTY_NAME=\"Debian GNU/Linux 11 (bullseye)\"", nil),
    ("ID=ubuntu\nVERSION_ID=\"24.04\"\nPRETTY_NAME=\"Ubuntu 24.04 LTS\"", nil), ("", nil),
  ])
  func `a package is built only on the supported releases`(
    system: String, release: String?
  ) async throws {
    let folder = try Folder()
    let file = try folder.write(system + "\n", to: "os-release")
    let received = try await Child("bash", ["\(Page.root)/Scripts/package", "--release", file]).finish()
    if let release {
      #expect(received.end == .exit(0) && received.output == [release], "\(received)")
    } else {
      let name = system.firstMatch(of: /PRETTY_NAME="(.*)"/).map { String($0.1) } ?? "an unknown release"
      #expect(received.end == .exit(1) && received.output.isEmpty)
      #expect(
        received.errors.first?.hasPrefix("package: cannot build a package on \(name): not supported ") == true,
        "\(received)")
    }
  }
}
