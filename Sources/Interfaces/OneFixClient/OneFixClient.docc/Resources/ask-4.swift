import OneFixClient

@main
struct ParkFinder {
  static func main() async throws {
    let client = try await OneFixClient.connect(app: "park-finder")
    do {
      let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you")) {
        print("Press the button to find the parks near you.")
      }
      if let position = fix.coordinate, let radius = fix.horizontalAccuracy {
        print(position.latitude, position.longitude, "±", radius, "m")
      }
    } catch {
      switch error {
      case .noPress: print("Nobody pressed. Here are the parks of the whole town.")
      case .denied, .restricted: print("Here are the parks of the whole town.")
      case .locked: print("The gateway is locked: hold its button to unlock it.")
      default: print(error)
      }
    }
    await client.close()
  }
}
