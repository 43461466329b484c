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

  @Test func `a purge empties a mount point of the state, and removes the other folders`() async throws {
    let folder = try Folder()
    let files = FileManager.default
    for name in ["bin", "etc/onefix", "run/onefix", "var/lib/onefix/deep", "var/lib/onefix-anchor"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    for name in [
      "etc/onefix/device.key", "etc/onefix/own.pem", "run/onefix/unsaved", "var/lib/onefix/deep/file",
      "var/lib/onefix-anchor/anchor",
    ] {
      _ = try folder.write("", to: name)
    }
    // Only root can mount a file system, so a program takes the place of mountpoint(1).
    try folder.writeProgram("[ \"$2\" = \(folder.path)/var/lib/onefix ]", to: "bin/mountpoint")
    let script = ["/var/", "/etc/", "/run/"].reduce(try Page.text(of: "Scripts/Packaging/debian/onefix.postrm")) {
      $0.replacing(" \($1)", with: " \(folder.path)\($1)")
    }
    let purge = try await Child(
      "sh", [try folder.write(script, to: "postrm"), "purge"],
      environment: ["PATH": "\(folder.path("bin")):/usr/bin:/bin"]
    ).finish()
    #expect(purge.end == .exit(0) && purge.errors.isEmpty, "\(purge)")
    #expect(try files.contentsOfDirectory(atPath: folder.path("var/lib")) == ["onefix"])
    #expect(try files.contentsOfDirectory(atPath: folder.path("var/lib/onefix")).isEmpty)
    #expect(try files.contentsOfDirectory(atPath: folder.path("run")).isEmpty)
    #expect(try files.contentsOfDirectory(atPath: folder.path("etc/onefix")) == ["own.pem"])
  }
}
