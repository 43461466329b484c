package import LineProtocol

extension Authorization {
  /// The settings of the gateway that affect the authorizations of apps.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press of the button gives a fix to every waiting app that needs no prompt. If false, a press gives a
    /// fix to one app only.
    package var pressServesAll = false
    /// How long a request waits for a press of the button if the request names no timeout.
    package var armTimeout: Duration = .seconds(300)
    /// The apps that a button serves, by the name of the button. A button without an entry serves every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// The maximum time between the two releases of a button in a double press, by the name of the button. A button
    /// without an entry uses `Bounds.doublePress`.
    package var doublePress: [String: Duration] = [:]
    /// The apps that must never receive a location. Their status is `restricted`, whatever their stored records say.
    package var restrictedApps: Set<AppID> = []
    /// The accuracy that a new app gets, by app. For an app that already has a record, this accuracy is an upper limit.
    package var newAppAccuracy: [AppID: FixAccuracy] = [:]
    package var defaultAccuracy: FixAccuracy = .full
    /// The apps that are displays on a wall. Such an app counts as in use while connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The time limits of the authorization rules. These limits protect the user from apps that try to get an unintended
  /// fix.
  package enum Bounds {
    /// How long a request or prompt must be marked before a press of the button can serve or answer it (authorization
    /// reference, row A9). The mark shows the effect of the next press to the user.
    package static let markBeforePress: Duration = .seconds(1)
    /// The longest time from the moment at which the user pushes the button down until the gateway handles the press:
    /// the longest configurable hold time plus `grantLife`.
    package static let latestPress: Duration = .seconds(10) + grantLife
    /// How long a grant (the permission for one fix) is valid after the release of the button. The same limit applies
    /// to the wait for the first fix without a press.
    package static let grantLife: Duration = .seconds(60)
    /// How long a grant (the permission for one fix) is valid if the client fetches the fix later, with the gpsd
    /// command `?POLL` (authorization reference, row A8).
    package static let pollingGrantLife = rest
    /// How long the gateway keeps a fix for a client that fetches it with the gpsd command `?POLL`.
    package static let keptFix: Duration = .seconds(10)
    /// The maximum age of the receiver epoch (all data of one instant) of a one-time fix when the user pushes the
    /// button down.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of the receiver epoch (all data of one instant) of a fix that needs no press of the button.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The pause in which a further press of the button gives no app a fix. The pause begins when the fix for a press
    /// is delivered, or when its delivery fails (authorization reference, row A8).
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// For how long a press of the button can answer one prompt.
    package static let promptLife: Duration = .seconds(10)
    /// How long a prompt stays open if an app, or an entry into a region or exit from it, opened the prompt.
    package static let askLife: Duration = .seconds(60)
    /// How long no button must be pressed or released before a press can answer a prompt that no press opened. Without
    /// this wait, a press for another purpose could answer a new prompt.
    package static let quiet: Duration = .seconds(2)
    /// The default maximum time between the two releases of a button in a double press.
    package static let doublePress: Duration = .milliseconds(400)
    /// The first pause after an unanswered prompt that a press of the button opened. The pause doubles with each
    /// further unanswered prompt about the same app, up to `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// For how long an app is still told the status `always` after the user refused it (authorization reference, row
    /// B5).
    package static let alwaysSeen: Duration = .seconds(86_400)
    /// The longest duration of a temporary authorization from an owner (authorization reference, row D6).
    package static let longestTimeLimit: Duration = .seconds(30 * 86_400)

    /// For how long an app counts as in use after the user's latest action for the app.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The maximum duration of continuous updates that go on in the background (authorization reference, row C3).
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The grace period: the total time for which a session may be disconnected, or in use in the background. Each
    /// action of the user for the app starts a new grace period.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks whether the indicator (the LED) is visible, while an app gets fixes without a press
    /// of the button (authorization reference, row C6).
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
