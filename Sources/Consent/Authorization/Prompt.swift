package import Base
package import LineProtocol

/// A question to the user about the permissions of an app.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The question whether presses of the button may give a new app a fix (authorization reference, row A1).
    case confirm
    /// The question whether presses of the button may give a fix to an app that was denied before (authorization
    /// reference, row A4).
    case introduce
    /// The question whether the app may get the location once, while the app is in use, or never (authorization
    /// reference, row B1).
    case authorize
    /// The same question as `authorize`, after the app requested the authorization "always" (authorization reference,
    /// row B2).
    case authorizeAlways = "authorize-always"
    /// The question whether to change the authorization "while using" to "always" (authorization reference, row B3).
    case upgrade
    /// The question whether to allow "always", because a request or a region event needs this authorization
    /// (authorization reference, row B5).
    case always
    /// The question whether the app may get precise positions for one session (authorization reference, row D3).
    case precise
  }

  package enum Cause: Hashable, Sendable {
    /// A press of the button selected this request, which needs the user's permission first.
    case press(Press, RequestID)
    /// The app requested an authorization in this session.
    case session(SessionID)
    /// A request or a region event (an entry or an exit) needs the authorization "always", and waits for the answer
    /// (authorization reference, row B5).
    case heldEvent
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  package let cause: Cause
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
  /// The press of the button that opened the prompt; nil if the prompt has another cause.
  package var press: Press? {
    switch cause {
    case .press(let press, _): press
    case .session, .heldEvent: nil
    }
  }

  /// The identifier of the request for one fix that a press of the button selected; nil if no press opened the prompt.
  package var arm: RequestID? {
    switch cause {
    case .press(_, let request): request
    case .session, .heldEvent: nil
    }
  }
}

extension Prompt.Kind {
  /// Returns the answers that the user can choose for a prompt of this kind.
  ///
  /// - Parameter showsText: Whether the user sees the text of the prompt, which names the app. If false, the result
  ///   does not contain the answers that give the largest permission.
  package func choices(showsText: Bool) -> [PromptChoice] {
    switch self {
    case .confirm, .introduce: [.yes, .no]
    case .authorize, .authorizeAlways: showsText ? [.once, .whileUsing, .no] : [.once, .no]
    case .upgrade, .always: showsText ? [.always, .keep, .no] : [.keep, .no]
    case .precise: showsText ? [.yes, .keep, .no] : [.keep, .no]
    }
  }

  /// Whether the user can choose the accuracy of the location together with a positive answer.
  package var offersAccuracy: Bool {
    switch self {
    case .confirm, .introduce, .authorize, .authorizeAlways, .upgrade, .always: true
    case .precise: false
    }
  }

  var choiceByPress: PromptChoice {
    switch self {
    case .confirm, .introduce: .yes
    case .authorize, .authorizeAlways: .once
    case .upgrade, .always, .precise: .keep
    }
  }

  /// The answer that the user gives with a double press of the button; nil if a double press has no meaning. A double
  /// press needs a display that shows the text of the prompt.
  var choiceByDoublePress: PromptChoice? {
    switch self {
    case .authorize, .authorizeAlways: .whileUsing
    case .confirm, .introduce, .upgrade, .always, .precise: nil
    }
  }

  /// Whether the app caused this prompt with a request for authorization, and learns the outcome. A prompt for the
  /// authorization "always" stays secret from the app (authorization reference, row B5).
  var isAskedByApp: Bool {
    switch self {
    case .authorize, .authorizeAlways, .upgrade, .precise: true
    case .confirm, .introduce, .always: false
    }
  }

  /// The duration of the pause after the first unanswered prompt about an app. During the pause, requests of the app
  /// open no prompt.
  var firstPause: Duration {
    switch self {
    case .confirm, .introduce: Authorization.Bounds.firstButtonPause
    case .authorize, .authorizeAlways, .upgrade, .always, .precise: Authorization.Bounds.firstOtherPause
    }
  }
}

package struct Answer: Hashable, Sendable {
  package var choice: PromptChoice
  /// The accuracy that the user chose; nil if the user kept the present accuracy.
  package var accuracy: FixAccuracy?
  /// Whether the user saw the prompt's text, which names the app.
  package var showsText: Bool

  package init(_ choice: PromptChoice, accuracy: FixAccuracy? = nil, showsText: Bool) {
    self.choice = choice
    self.accuracy = accuracy
    self.showsText = showsText
  }
}
