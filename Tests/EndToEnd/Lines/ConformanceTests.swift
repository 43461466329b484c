import Foundation
import Repository
import Requirements
import Testing

/// The conformance test, which a client in any language can be run against.
@Suite struct ConformanceTests {
  static let folder = "\(Repository.root)/Tests/Interfaces/Conformance"

  /// Runs the conformance test with a driver.
  /// - Parameter limit: The longest time of the run; nil for a run that does not wait.
  private static func run(
    _ options: [String], _ driver: [String], within limit: Duration? = .seconds(600)
  ) async throws -> Finished {
    let python = try await python.value
    // Without site packages (-S), Python starts faster, and a client in Python has only the standard library.
    let command = driver.first == "python3" ? [python, "-S"] + driver.dropFirst() : driver
    return try await Child(python, ["-S", "-B", "\(folder)/run.py"] + options + command).finish(within: limit)
  }

  /// The interpreter behind `python3`, which can be a script that first looks for the interpreter. The test starts the
  /// interpreter hundreds of times.
  private static let python = Task {
    let found = try await Child("python3", ["-c", "import sys; print(sys.executable)"]).finish()
    return try #require(found.output.first)
  }

  @Test(.needs("apt-get install gcc", Program.isInstalled("cc")), arguments: ["tcp", "tls"])
  func `the client in C gets a fix of the daemon over the network`(transport: String) async throws {
    let (folder, authority) = (try Folder(), try await Authority())
    let driver = try await Self.driverInC(in: folder)
    let listener = transport == "tls" ? authority.listener() : NetworkTests.listener
    try await Daemon.with(configuration: listener + "[[app]]\nid = \"app\"\nkey = true\n") { daemon in
      let (key, address) = (try await daemon.addKey("app"), try daemon.address(transport))
      let trust = transport == "tls" ? #","trust":"\#(authority.certificate("authority"))""# : ""
      let app = try Child(driver, [])
      app.write(
        Array(
          """
          {"do":"connect","app":"app","host":"\(address.host)","port":\(address.port),"key":"\(key)"\(trust)}
          {"do":"request_once"}

          """.utf8))
      app.closeInput()
      try await daemon.press(untilEndOf: app)
      let end = try await app.finish()
      #expect(end.output.first == #"{"connected":true}"# && end.output.last?.contains(#""lat":"#) == true, "\(end)")
    }
  }

  /// Compiles the driver of the client in C. Returns its path.
  private static func driverInC(in folder: Folder) async throws -> String {
    let clients = "\(Repository.root)/Sources/Documentation/clients"
    let driver = folder.path("driver")
    // With the thread sanitizer, a library for the daemons is preloaded, and no other sanitizer then starts.
    let sanitizers = Sanitizer.name == "thread" ? "undefined" : "address,undefined"
    let built = try await Child(
      "cc",
      [
        "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-g",
        "-fsanitize=\(sanitizers)", "-fno-sanitize-recover=all", "-I", clients, "-o", driver,
        "\(clients)/onefix.c", "\(Self.folder)/c_driver.c", "-lssl", "-lcrypto",
      ]
    ).finish()
    try #require(built.end == .exit(0), "\(built.errors)")
    return driver
  }

  @Test(.needs("apt-get install cppcheck", Program.isInstalled("cppcheck")))
  func `of the rules of MISRA C, the client in C breaks only those that its first comment names`() async throws {
    // cppcheck writes files beside the source.
    let folder = try Folder()
    for name in ["onefix.c", "onefix.h"] {
      let source = "\(Repository.root)/Sources/Documentation/clients/\(name)"
      try FileManager.default.copyItem(atPath: source, toPath: folder.path(name))
    }
    let client = folder.path("onefix.c")
    let options = ["--quiet", "--enable=style", "--addon=misra", "--std=c11", "--platform=unix64"]
    let checked = try await Child("cppcheck", options + [client]).finish()
    let broken = Set((checked.output + checked.errors).flatMap { $0.matches(of: /misra-c2012-([0-9.]+)/).map(\.1) })
    let comment = try #require(try String(contentsOfFile: client, encoding: .utf8).split(separator: "*/").first)
    let named = Set(comment.matches(of: /\b[0-9]+\.[0-9]+\b/).map(\.0))
    #expect(!broken.isEmpty && broken.isSubset(of: named), "\(checked)")
  }

  @Test(
    .needs("apt-get install nodejs gcc", Program.isInstalled("node") && Program.isInstalled("cc")),
    arguments: ["C", "Node", "Python", "Swift"])
  func `a client passes the conformance test`(language: String) async throws {
    let folder = try Folder()
    let driver =
      switch language {
      case "C": [try await Self.driverInC(in: folder)]
      case "Node": ["node", "\(Self.folder)/node_driver.mjs"]
      case "Python": ["python3", "\(Self.folder)/python_driver.py"]
      default: [Program.conformanceDriver]
      }
    let end = try await Self.run([], driver)
    #expect(end.end == .exit(0), "\(end.output) \(end.errors)")
  }

  /// The faults of the wrong driver, each with the rule that it breaks.
  private static func faults() async throws -> [(fault: String, rule: String)] {
    try await Child("python3", ["-B", "\(folder)/faulty_driver.py"]).finish().output.map { line in
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return (words[0], words[1])
    }
  }

  @Test func `the conformance test rejects a client for each fault, and names the rule that the fault breaks`()
    async throws
  {
    let faults = try await Self.faults()
    #expect(faults.count > 20)
    for (fault, rule) in faults {
      let end = try await Self.run(
        ["--wait", "3", "--only", rule], ["python3", "\(Self.folder)/faulty_driver.py", fault])
      #expect(end.end == .exit(1), "\(fault)")
      #expect(end.output.contains { $0.hasPrefix("failed: \(rule): ") }, "\(fault): \(end.output) \(end.errors)")
    }
    // The same driver without a fault follows the rules.
    for rule in Set(faults.map(\.rule)).sorted() {
      let right = try await Self.run(["--only", rule], ["python3", "\(Self.folder)/faulty_driver.py", "nothing"])
      #expect(right.end == .exit(0), "\(right.output) \(right.errors)")
    }
  }

  @Test func `a driver that is no client fails at once`() async throws {
    for driver in [["cat"], ["true"]] {
      // A run that waits for the driver lasts a week.
      let end = try await Self.run(["--wait", "600000", "--only", "a heartbeat"], driver, within: nil)
      #expect(end.end == .exit(1) && end.output.last == "0 of 1 conversations passed", "\(end)")
    }
  }
}
