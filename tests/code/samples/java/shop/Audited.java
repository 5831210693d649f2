package shop;

/** Marks what is written to the log. */
public @interface Audited {
    String value() default "";
}
