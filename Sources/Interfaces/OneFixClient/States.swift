extension OneFixClient {
  /// The authorization of an app: whether, and how exactly, the app may receive location.
  public struct Authorization: Hashable, Sendable {
    /// Whether the app may receive location, and in which situations.
    public var status: AuthorizationStatus
    /// The accuracy of the fixes that the app receives.
    public var accuracy: FixAccuracy

    /// Creates an authorization from a status and an accuracy.
    public init(status: AuthorizationStatus, accuracy: FixAccuracy) {
      self.status = status
      self.accuracy = accuracy
    }
  }

  /// An authorization that an app can request from the user.
  public enum AuthorizationRequest: Hashable, Sendable {
    /// Permission to receive location while the app is in use. The prompt shows the purpose in quotes; nil for no
    /// purpose.
    ///
    /// A purpose has at most 80 columns of letters, digits, punctuation and plain spaces.
    case whenInUse(purpose: String? = nil)
    /// Permission to receive location at any time. If the user answers "while using", the app nevertheless sees the
    /// status `always`.
    case always(purpose: String? = nil)
    /// Permission to receive fixes with full accuracy in this session, for an app with reduced accuracy.
    case fullAccuracy(purpose: String)

    /// Permission to receive location while the app is in use. The prompt shows no purpose.
    public static var whenInUse: Self { .whenInUse(purpose: nil) }
    /// Permission to receive location at any time. The prompt shows no purpose.
    public static var always: Self { .always(purpose: nil) }

    var command: Command {
      switch self {
      case .whenInUse(let purpose): .authorize(.whenInUse, purpose: purpose)
      case .always(let purpose): .authorize(.always, purpose: purpose)
      case .fullAccuracy(let purpose): .authorize(.fullAccuracy, purpose: purpose)
      }
    }
  }

  /// The state that the gateway's indicator (LED) shows because of this app.
  public enum Indicator: String, Hashable, Sendable, CaseIterable {
    /// The indicator shows nothing for this app.
    case off
    /// The app has a request, and waits for a press of the button or for the fix.
    case acquiring
    /// The app receives location.
    case inUse = "in-use"
    /// The app receives location while the app is not in use.
    case background
    /// A prompt about the app is open.
    case prompt
    /// The kill switch is active, and no app receives location.
    case locked
  }

  /// The state of the gateway's GNSS receiver.
  public enum Receiver: String, Hashable, Sendable, CaseIterable {
    /// The receiver is not connected.
    case absent
    /// The receiver is connected. The state does not show whether the receiver has a fix.
    case present
  }

  /// The result of a press of the gateway's button. The press concerned this app, or the press could give no app a
  /// fix.
  public enum PressNotification: Hashable, Sendable {
    /// The press permits a fix for this app.
    case authorized
    /// The press permits no fix for this app. The value is the gateway's reason, for example `nothing-armed` (no app
    /// had a request).
    case unauthorized(String)
  }

  /// An event at the border of a region: the device entered or left the region.
  public struct RegionEvent: Hashable, Sendable {
    /// The kind of event at the border of a region.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The device entered the region.
      case enter
      /// The device left the region.
      case exit
    }

    /// The region's id.
    public var region: String
    /// Whether the device entered or left the region.
    public var kind: Kind

    /// Creates an event.
    public init(region: String, kind: Kind) {
      self.region = region
      self.kind = kind
    }
  }

  /// The state of the client's connection to the gateway.
  public enum Connection: Hashable, Sendable {
    /// The client is connected and authenticated.
    case connected
    /// The connection is lost, and the client tries to connect again.
    case lost(ClientError)
  }
}
