/// Descriptions of the commands for owners, one line for each command.
package enum VerbPhrase: String, Phrase {
  case status, apps, show, allow, deny, reset, accuracy, prompts, answer, regions, place, use, key, log, receiver,
    reload
  case page, lock

  package var texts: Texts {
    switch self {
    case .status:
      Texts(
        en: "the state of the gateway", de: "Zustand des Gateways", ja: "ゲートウェイの状態", vi: "tình trạng của cổng",
        zhHans: "网关的状态")
    case .apps:
      Texts(
        en: "the apps that may know the location", de: "Apps, die den Standort wissen dürfen", ja: "現在地を知ってよいアプリの一覧",
        vi: "ứng dụng nào được biết vị trí", zhHans: "哪些应用可以获知位置")
    case .show:
      Texts(
        en: "details of one app", de: "Einzelheiten einer App", ja: "アプリの詳細", vi: "chi tiết một ứng dụng",
        zhHans: "一个应用的详情")
    case .allow:
      Texts(
        en: "allow an app: while using or always", de: "eine App erlauben: beim Verwenden oder immer",
        ja: "アプリに許可する（使用中のみ／常に）", vi: "cho phép: khi sử dụng hoặc luôn luôn", zhHans: "允许应用：使用期间或始终")
    case .deny:
      Texts(
        en: "never allow an app", de: "eine App nie erlauben", ja: "アプリに許可しない", vi: "không bao giờ cho phép",
        zhHans: "永不允许应用")
    case .reset:
      Texts(
        en: "forget an app, so that it asks again", de: "eine App vergessen, sodass sie neu fragt",
        ja: "アプリの記録を消し、次回確認する", vi: "quên ứng dụng: nó sẽ hỏi lại", zhHans: "清除应用的记录，下次询问")
    case .accuracy:
      Texts(
        en: "the accuracy of an app's location", de: "Genauigkeit des Standorts für eine App", ja: "アプリに知らせる位置の精度",
        vi: "độ chính xác cho ứng dụng", zhHans: "应用可获知的精度")
    case .prompts:
      Texts(
        en: "the current and the next questions", de: "die jetzige und die nächsten Fragen", ja: "現在と次の質問",
        vi: "câu hỏi hiện tại và kế tiếp", zhHans: "当前和后续的提问")
    case .answer:
      Texts(en: "answer the question", de: "die Frage beantworten", ja: "質問に答える", vi: "trả lời câu hỏi", zhHans: "回答提问")
    case .regions:
      Texts(
        en: "the monitored regions", de: "die überwachten Gebiete", ja: "監視中の領域", vi: "các vùng đang theo dõi",
        zhHans: "正在监视的区域")
    case .place:
      Texts(
        en: "the named places, and the apps that know them", de: "benannte Orte, und Apps, die sie wissen",
        ja: "場所の名前と、それを知ってよいアプリ", vi: "các địa điểm và ứng dụng được biết tên", zhHans: "已命名的地点，以及可获知的应用")
    case .use:
      Texts(
        en: "begin the use of an app", de: "eine App in Gebrauch nehmen", ja: "アプリの使用を始める", vi: "bắt đầu dùng ứng dụng",
        zhHans: "开始使用应用")
    case .key:
      Texts(
        en: "create or revoke an app's key", de: "den Schlüssel einer App erzeugen, widerrufen", ja: "アプリの鍵を作る・失効させる",
        vi: "tạo hoặc thu hồi khóa của ứng dụng", zhHans: "生成或吊销应用的密钥")
    case .log:
      Texts(
        en: "the disclosures of the location", de: "Herausgaben des Standorts", ja: "位置を渡した記録",
        vi: "các lần cung cấp vị trí", zhHans: "位置的提供记录")
    case .receiver:
      Texts(
        en: "the state of the receiver", de: "Zustand des Empfängers", ja: "受信機の状態", vi: "tình trạng máy thu",
        zhHans: "接收机的状态")
    case .reload:
      Texts(
        en: "reload the configuration", de: "die Konfiguration neu laden", ja: "設定を読み直す", vi: "đọc lại cấu hình",
        zhHans: "重新读取配置")
    case .page:
      Texts(
        en: "a link that opens the page once", de: "ein Link zur Seite, einmal gültig", ja: "ページへのリンク（1回のみ有効）",
        vi: "liên kết đến trang, dùng một lần", zhHans: "页面的链接，仅可使用一次")
    case .lock:
      Texts(
        en: "stop all sharing until the button is held", de: "nichts teilen, bis der Knopf gehalten wird",
        ja: "長押しするまで何も渡さない", vi: "không cung cấp gì cho đến khi giữ nút", zhHans: "长按按钮之前不提供位置")
    }
  }

  /// The maximum width of a description in columns. The description is printed beside the name of the command.
  package var room: Int? { 48 }
}
