extension OneFixClient {
  /// What the app may know, as it is told.
  public struct Authorization: Hashable, Sendable {
    /// As Core Location names it.
    public enum Status: String, Hashable, Sendable, CaseIterable {
      /// Nobody was asked yet, or it is asked at each press.
      case notDetermined
      /// The person said no. A request for one fix may ask again, by the button.
      case denied
      /// The owner's configuration forbids it; no prompt can change it.
      case restricted
      /// While the app is in use.
      case whenInUse
      /// At any time.
      case always
    }

    /// When the app may know.
    public var status: Status
    /// How precisely.
    public var accuracy: FixAccuracy

    /// - Parameters:
    ///   - status: when the app may know.
    ///   - accuracy: how precisely.
    public init(status: Status, accuracy: FixAccuracy) {
      self.status = status
      self.accuracy = accuracy
    }
  }

  /// What an app asks the person for.
  public enum AuthorizationRequest: Hashable, Sendable {
    /// To know while the app is in use. The purpose is shown in quotes beside the question: at most 80 columns of
    /// letters, digits, punctuation and plain spaces.
    case whenInUse(purpose: String? = nil)
    /// To know at any time. Where the person answers "while using", the app is told `always` all the same.
    case always(purpose: String? = nil)
    /// To know precisely, once, where it may know roughly.
    case fullAccuracy(purpose: String)

    /// To know while the app is in use, without saying what for.
    public static var whenInUse: Self { .whenInUse(purpose: nil) }
    /// To know at any time, without saying what for.
    public static var always: Self { .always(purpose: nil) }

    var command: Command {
      switch self {
      case .whenInUse(let purpose): .authorize(.whenInUse, purpose: purpose)
      case .always(let purpose): .authorize(.always, purpose: purpose)
      case .fullAccuracy(let purpose): .authorize(.fullAccuracy, purpose: purpose)
      }
    }
  }

  /// What the light shows, as far as this app caused it.
  public enum Indicator: String, Hashable, Sendable, CaseIterable {
    /// Nothing of this app's.
    case off
    /// The app waits for a fix.
    case acquiring
    /// The app is given the location.
    case inUse = "in-use"
    /// The app is given the location while it is not in use.
    case background
    /// A person is asked about the app.
    case prompt
    /// The kill switch is on, and nobody is given anything.
    case locked
  }

  /// Whether there is a receiver.
  public enum Receiver: String, Hashable, Sendable, CaseIterable {
    /// It is not connected, or it is switched off.
    case absent
    /// It is there; whether it has a fix is not told.
    case present
  }

  /// What a press that concerned this app came to.
  public enum PressNews: Hashable, Sendable {
    /// The app is given a fix.
    case authorized
    /// It is not, with the gateway's reason, as in `nothing-armed`, `armed-too-late` or `indicator-dark`.
    case unauthorized(String)
  }

  /// A border that the device has crossed.
  public struct RegionEvent: Hashable, Sendable {
    /// Which way.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// It came in.
      case enter
      /// It went out.
      case exit
    }

    /// The region's id.
    public var region: String
    /// Which way.
    public var kind: Kind

    /// - Parameters:
    ///   - region: the region's id.
    ///   - kind: which way the border was crossed.
    public init(region: String, kind: Kind) {
      self.region = region
      self.kind = kind
    }
  }

  /// How the client stands with its gateway.
  public enum Connection: Hashable, Sendable {
    /// Connected, and known to the gateway.
    case connected
    /// The connection is lost, and is tried again.
    case lost(ClientError)
  }
}
