import OneFixClient

@main
struct ParkFinder {
  static func main() async throws {
    let client = try await OneFixClient.connect(app: "park-finder")
    let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you")) {
      print("Press the button to find the parks near you.")
    } pressed: { news in
      if case .unauthorized(let reason) = news { print("That press gave nothing: \(reason).") }
    }
    if let position = fix.coordinate, let radius = fix.horizontalAccuracy {
      print(position.latitude, position.longitude, "±", radius, "m")
    }
    await client.close()
  }
}
