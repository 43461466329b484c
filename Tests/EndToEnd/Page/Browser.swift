import Foundation
import Synchronization
import Testing

/// Chromium without a display, and a user at its keyboard.
final class Browser: Sendable {
  private let process: Child
  /// The number of lines that were read.
  private let position = Mutex(0)

  struct Failed: Error { var cause: String }

  /// An element as a screen reader presents it.
  struct Node {
    var role: String
    var name: String
    var properties: [String: Any]
  }

  init() async throws {
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("browser.py").path
    // Debian's Python, which finds Debian's packages.
    process = try Child("/usr/bin/python3", ["-B", program])
    try await answer()
  }

  /// Ends the browser and its processes.
  func close() async throws {
    process.closeInput()
    try await process.finish()
  }

  func open(_ address: String) async throws { try await perform(["open": address]) }

  /// Opens an address in a new tab. `back` closes the tab.
  func openTab(_ address: String) async throws { try await perform(["tab": address]) }

  func back() async throws { try await perform(["back": true]) }

  func press(_ keys: String...) async throws { try await perform(["press": keys]) }

  func prefer(_ scheme: String) async throws { try await perform(["scheme": scheme]) }

  /// - Parameter width: The width of the window in CSS pixels.
  func narrow(to width: Int) async throws { try await perform(["width": width]) }

  /// Saves a picture of the whole page in the folder that `ONEFIX_SHOTS` names.
  func shoot(_ name: String) async throws {
    guard let folder = ProcessInfo.processInfo.environment["ONEFIX_SHOTS"] else { return }
    try await perform(["shot": "\(folder)/\(name).png"])
  }

  @discardableResult
  func run(_ script: String) async throws -> Any { try await perform(["run": script]) }

  func text(_ script: String) async throws -> String { try await run("return \(script)") as? String ?? "" }

  func holds(_ script: String) async throws -> Bool { try await run("return !!(\(script))") as? Bool ?? false }

  func wait(for what: String, _ script: String) async throws {
    do {
      _ = try await eventually(what) { try await holds(script) ? true : nil }
    } catch {
      let seen = try await text("document.body.innerText")
      throw TimedOut(what: "\(what) (\(script))", limit: .seconds(30), seen: seen)
    }
  }

  func wait(for text: String, in id: String) async throws {
    try await wait(for: "“\(text)”", "document.getElementById('\(id)').innerText.includes(\(Self.quoted(text)))")
  }

  var complaints: [String] {
    get async throws { try await perform(["complaints": true]) as? [String] ?? [] }
  }

  var tree: [Node] {
    get async throws { try await nodes(["tree": true]) }
  }

  /// The focused element.
  var focused: Node? {
    get async throws { try await nodes(["focus": true]).first }
  }

  private func nodes(_ order: [String: Any]) async throws -> [Node] {
    let nodes = try #require(try await perform(order) as? [[String: Any]])
    return nodes.map {
      Node(
        role: $0["role"] as? String ?? "",
        // Some versions of Chromium add a space at the end.
        name: ($0["name"] as? String ?? "").trimmingCharacters(in: .whitespaces),
        properties: $0["properties"] as? [String: Any] ?? [:])
    }
  }

  /// Presses Tab until an element has the focus, as a user without a mouse does.
  @discardableResult
  func tab(to role: String, _ name: String) async throws -> Node {
    var seen: [String] = []
    for _ in 0..<40 {
      try await press("Tab")
      guard let node = try await focused else { continue }
      if node.role == role, node.name == name { return node }
      seen.append("\(node.role) \(node.name)")
    }
    throw Failed(cause: "no \(role) “\(name)” among \(seen)")
  }

  static func quoted(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: [text], options: [.withoutEscapingSlashes])
    return String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast().description
  }

  @discardableResult
  private func perform(_ order: [String: Any]) async throws -> Any {
    let data = try JSONSerialization.data(withJSONObject: order, options: [.withoutEscapingSlashes])
    process.write([UInt8](data) + [0x0A])
    return try await answer()
  }

  @discardableResult
  private func answer() async throws -> Any {
    let index = position.withLock { $0 }
    let errors = process.errors
    let line = try await process.output.first("the browser's answer") { received in
      if received.lines.count > index { return received.lines[index] }
      if received.isOver { throw Failed(cause: "\(errors.value)") }
      return nil
    }
    position.withLock { $0 = index + 1 }
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    if let cause = object["failed"] as? String { throw Failed(cause: cause) }
    return object["is"] ?? NSNull()
  }
}
