extension OneFixClient {
  /// The authorization of an app: whether the app may receive location, and with which accuracy.
  public struct Authorization: Hashable, Sendable {
    /// The permission to receive location, for example `whenInUse` or `denied`.
    public var status: AuthorizationStatus
    /// The accuracy of the fixes that the app receives, for example full or reduced.
    public var accuracy: FixAccuracy

    /// Creates an authorization value, for example for a test. The call does not change the authorization of the app.
    public init(status: AuthorizationStatus, accuracy: FixAccuracy) {
      self.status = status
      self.accuracy = accuracy
    }
  }

  /// An authorization that an app can request from the user.
  public enum AuthorizationRequest: Hashable, Sendable {
    /// Permission to receive location while the app is in use. The gateway asks the user, and shows the purpose in
    /// quotes.
    ///
    /// A purpose has at most 80 columns of letters, digits, punctuation and plain spaces. The purpose can be nil.
    case whenInUse(purpose: String? = nil)
    /// Permission to receive location at any time. The gateway asks the user, and shows the purpose in quotes.
    ///
    /// If the user allows location only while the app is in use, the app nevertheless sees the status `always`.
    case always(purpose: String? = nil)
    /// Permission to receive fixes with full accuracy until the client's session ends. The request is for an app whose
    /// authorization has reduced accuracy.
    case fullAccuracy(purpose: String)

    /// Permission to receive location while the app is in use. The gateway asks the user, without a purpose.
    public static var whenInUse: Self { .whenInUse(purpose: nil) }
    /// Permission to receive location at any time. The gateway asks the user, without a purpose.
    public static var always: Self { .always(purpose: nil) }

    var command: Command {
      switch self {
      case .whenInUse(let purpose): .authorize(.whenInUse, purpose: purpose)
      case .always(let purpose): .authorize(.always, purpose: purpose)
      case .fullAccuracy(let purpose): .authorize(.fullAccuracy, purpose: purpose)
      }
    }
  }

  /// The signal of the gateway's indicator (status LED) for one app.
  public enum Indicator: String, Hashable, Sendable, CaseIterable {
    /// The indicator (status LED) gives no signal for this app.
    case off
    /// The app has requested a fix. The gateway waits for a press of its button, or for the fix.
    case acquiring
    /// The gateway sends location to the app, or has just sent a fix.
    case inUse = "in-use"
    /// The app receives location, although the app is not in use.
    case background
    /// The gateway shows the user a question about the app.
    case prompt
    /// The kill switch of the gateway is on. The kill switch stops location for all apps.
    case locked
  }

  /// The state of the gateway's GNSS receiver.
  public enum Receiver: String, Hashable, Sendable, CaseIterable {
    /// No GNSS receiver is connected to the gateway.
    case absent
    /// A GNSS receiver is connected to the gateway, with or without a fix.
    case present
  }

  /// The result of a press of the gateway's button, for this app. The app also learns of a press that could give no app
  /// a fix.
  public enum PressNotification: Hashable, Sendable {
    /// The press of the button permits one fix for this app.
    case authorized
    /// The press of the button permits no fix for this app. The value is the gateway's reason, for example
    /// `nothing-armed`: no app had requested a fix.
    case unauthorized(String)
  }

  /// An event of a region (a circle on the ground): the device entered or left the region.
  public struct RegionEvent: Hashable, Sendable {
    /// The kind of event: the device entered or left the region (a circle on the ground).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The device moved into the region (a circle on the ground).
      case enter
      /// The device moved out of the region (a circle on the ground).
      case exit
    }

    /// The id of the region (a circle on the ground), which the app chose.
    public var region: String
    /// The direction of the movement: the device entered or left the region.
    public var kind: Kind

    /// Creates an event value, for example for a test.
    public init(region: String, kind: Kind) {
      self.region = region
      self.kind = kind
    }
  }

  /// The state of the client's connection to the gateway.
  public enum Connection: Hashable, Sendable {
    /// The client is connected to the gateway, and the gateway has authenticated the app.
    case connected
    /// The connection ended with the error, and the client tries to connect again.
    case lost(ClientError)
  }
}
