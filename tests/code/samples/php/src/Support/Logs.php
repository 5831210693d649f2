<?php

namespace Shop\Support;

trait Logs
{
    /** Writes a line. */
    protected function log(string $text): void
    {
        echo $text;
    }
}
