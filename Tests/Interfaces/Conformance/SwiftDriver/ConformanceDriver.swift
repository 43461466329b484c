import Base
import Foundation
import GNSS
import LineProtocol
import OneFixClient

/// The driver of the library `OneFixClient` for the conformance test.
@main
@MainActor
struct ConformanceDriver {
  /// An order that this driver does not know.
  private struct Unknown: Error {}

  private static var client: OneFixClient?

  static func main() async throws {
    while let line = readLine() {
      guard let order = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw Unknown()
      }
      do {
        try await perform(Order(members: order))
      } catch let error as ClientError {
        try write(result(of: error))
      } catch let error as LineError {
        try write(["error": error.code.rawValue])
      }
    }
  }

  private static func perform(_ order: Order) async throws {
    if order.text("do") == "connect" {
      client = try await OneFixClient.connect(
        try endpoint(order), app: order.text("app") ?? "",
        options: OneFixClient.Options(backoff: Backoff(first: .milliseconds(50)), keepalive: 0))
      return try write(["connected": true])
    }
    guard let client else { throw Unknown() }
    switch order.text("do") {
    case "request_once": print(try await client.requestOnce(once(order)).json)
    case "authorize":
      let answer = try await client.requestAuthorization(try authorization(order))
      try write(["status": answer.status.rawValue, "accuracy": answer.accuracy.rawValue])
    case "updates":
      let request = UpdatesRequest(
        interval: order.number("interval"), distance: order.number("distance"),
        isBackground: order.members["background"] as? Bool ?? false)
      try await each(client.updates(request), order) { print($0.json) }
    case "region_events":
      try await each(client.regionEvents, order) { try write(["region": $0.region, "event": $0.kind.rawValue]) }
    case "add_region":
      try await client.addRegion(try region(order))
      try write(["done": true])
    case "remove_region":
      try await client.removeRegion(id: order.text("id") ?? "")
      try write(["done": true])
    case "regions": try write(["ids": try await client.regions().map(\.id)])
    case "background":
      try await client.enterBackground()
      try write(["done": true])
    case "foreground":
      try await client.enterForeground()
      try write(["done": true])
    case "close":
      await client.close()
      try write(["closed": true])
    default: throw Unknown()
    }
    fflush(nil)
  }

  private static func each<Element: Sendable>(
    _ elements: Notifications<Element>, _ order: Order, _ show: (Element) throws -> Void
  ) async throws {
    do {
      var left = order.number("count") ?? 0
      for try await element in elements {
        try show(element)
        fflush(nil)
        left -= 1
        if left == 0 { break }
      }
    }
    try write(["stopped": true])
  }

  private static func endpoint(_ order: Order) throws -> OneFixClient.Endpoint {
    if let path = order.text("socket") { return .unix(path) }
    let (host, port) = (order.text("host") ?? "", order.number("port") ?? 0)
    let key = order.text("key").flatMap { OneFixClient.Key(base64url: $0) }
    guard let trust = order.text("trust") else {
      guard let key else { throw Unknown() }
      return .tcp(host: host, port: port, key: key)
    }
    return .tls(host: host, port: port, try proof(order, key), trust: .pem(try contents(trust)))
  }

  private static func proof(_ order: Order, _ key: OneFixClient.Key?) throws -> OneFixClient.TLSProof {
    if let key { return .key(key) }
    if let token = order.text("token").flatMap({ OneFixClient.Token($0) }) { return .token(token) }
    guard let chain = order.text("certificate"), let privateKey = order.text("private_key") else { throw Unknown() }
    return .certificate(.init(chain: try contents(chain), privateKey: try contents(privateKey)))
  }

  private static func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private static func once(_ order: Order) -> OnceRequest {
    OnceRequest(
      accuracy: order.text("accuracy").flatMap { FixAccuracy(rawValue: $0) }, maximumAge: order.number("max_age"),
      timeout: order.number("timeout"), requiresPress: order.members["press"] as? Bool ?? false,
      purpose: order.text("purpose"))
  }

  private static func authorization(_ order: Order) throws -> OneFixClient.AuthorizationRequest {
    switch order.text("scope") {
    case "when-in-use": .whenInUse(purpose: order.text("purpose"))
    case "always": .always(purpose: order.text("purpose"))
    case "full-accuracy": .fullAccuracy(purpose: order.text("purpose") ?? "")
    default: throw Unknown()
    }
  }

  private static func region(_ order: Order) throws -> Region {
    guard let latitude = order.decimal("lat"), let longitude = order.decimal("lon"),
      let centre = Coordinate(latitude: latitude, longitude: longitude), let radius = order.decimal("radius")
    else { throw Unknown() }
    var events: Region.Events = []
    for name in order.members["events"] as? [String] ?? [] { events.insert(name == "enter" ? .enter : .exit) }
    return try Region(
      id: order.text("id") ?? "", centre: centre, radius: radius, events: events, text: order.text("text") ?? "")
  }

  private static func result(of error: ClientError) -> [String: Any] {
    switch error {
    case .untrusted: ["error": "untrusted"]
    case .tooSoon(let refusal, let time?): ["error": refusal.code.rawValue, "retry_after": time.components.seconds]
    default: ["error": error.refusal.map { $0.code.rawValue as Any } ?? "lost"]
    }
  }

  private static func write(_ result: [String: Any]) throws {
    print(String(decoding: try JSONSerialization.data(withJSONObject: result), as: UTF8.self))
    fflush(nil)
  }
}

/// An order of the test, with its members by name.
private struct Order {
  var members: [String: Any]

  func text(_ name: String) -> String? { members[name] as? String }
  func number(_ name: String) -> Int? { members[name] as? Int }
  func decimal(_ name: String) -> Double? { (members[name] as? NSNumber)?.doubleValue }
}
